#include "engine/graph/image_blocks.h"

#include <algorithm>
#include <unordered_map>

#include "engine/core/copy_plan.h"
#include "engine/core/image_blocks.h"
#include "engine/cpu/pointwise_loops.h"
#include "engine/graph/fused/plan.h"

namespace mt {
namespace {

// The elements of the result of an elementwise launch whose tensors are contiguous, and have as many elements or one; 0 for other launches.
int64_t elementwise_count(const Launch& launch) {
  static constexpr cpu::PointwiseLoops no_loops{};
  if (launch.kernel().run == mt::kernel<&cpu::run_pointwise>(no_loops).run) {
    const auto& plan = *static_cast<const PointwisePlan*>(launch.plan());
    return plan.geometry ? 0 : plan.n;
  }
  if (launch.kernel().run != mt::kernel<&run_fused>().run) return 0;
  return static_cast<const FusedPlan*>(launch.plan())->contiguous_elements();
}

std::optional<ImageUse> use_of_elementwise(const Launch& launch, int64_t count) {
  ImageUse use;
  bool are_whole = true;
  PlaceVisitor visitor([&](const OperandPlace& place) {
    if (place.storage->size == 1) return;
    are_whole = are_whole && place.offset == 0 && place.storage->size == count;
    use.operands.push_back({place.storage, {}});
  });
  launch.visit(visitor);
  return are_whole ? std::optional(use) : std::nullopt;
}

// Adjacent channels of images (batch, channels, sizes…).
std::optional<ImageOperand> channels_of(const Tensor& t) {
  if (t.dim() < 3 || t.numel() == 0 || t.storage()->dtype != t.dtype()) return std::nullopt;
  int64_t points = 1;
  for (int d = t.dim() - 1; d > 1; --d) {
    if (t.stride(d) != points) return std::nullopt;
    points *= t.size(d);
  }
  const int64_t all = t.size(0) == 1 ? t.storage()->size / points : t.stride(0) / points, first = t.offset() / points;
  if (t.stride(1) != points || first * points != t.offset() || all * points * t.size(0) != t.storage()->size || first + t.size(1) > all)
    return std::nullopt;
  return ImageOperand{t.storage(), {t.size(0), all, points}, first, first + t.size(1)};
}

std::optional<ImageUse> use_of_copy(const CopyPlan& plan) {
  const std::optional<ImageOperand> to = channels_of(plan.dst), from = channels_of(plan.src);
  if (!to || !from || plan.dst.dtype() != plan.src.dtype() || !std::ranges::equal(plan.dst.sizes(), plan.src.sizes())) return std::nullopt;
  return ImageUse{{*to, *from}, {}};
}

std::optional<ImageUse> use_of(const Launch& launch) {
  if (launch.kernel().run == copy_kernel().run) return use_of_copy(*static_cast<const CopyPlan*>(launch.plan()));
  if (const int64_t count = elementwise_count(launch); count != 0) return use_of_elementwise(launch, count);
  const ImageKernel* const kernel = image_kernel_of(launch);
  return kernel != nullptr ? kernel->use(launch) : std::nullopt;
}

class Chooser {
 public:
  Chooser(const LaunchList& list, const PackingContext& context) : list_(list) {
    for (const Launch& launch : list.launches) {
      uses_.push_back(use_of(launch));
      launch.each_storage([&](const Storage* storage) { note(storage, uses_.back()); });
      if (uses_.back()) join(*uses_.back());
    }
    for (auto& [storage, images] : images_) {
      if (context.kept.count(storage) != 0 || context.constants.count(storage) != 0) images.is_plain = true;
    }
    for (const auto& use : uses_) learn(use);
    for (auto use = uses_.rbegin(); use != uses_.rend(); ++use) learn(*use);
    for (const auto& use : uses_) choose(use);
    for (const auto& use : uses_) check_parts(use);
    for (auto& [storage, images] : images_) check(storage, images);
  }

  void set() {
    for (size_t i = 0; i < uses_.size(); ++i) {
      const ImageKernel* const kernel = image_kernel_of(list_.launches[i]);
      if (!uses_[i] || kernel == nullptr) continue;
      for (size_t k = 0; k < uses_[i]->operands.size(); ++k) {
        const Images& group = *group_of(images_.at(uses_[i]->operands[k].storage));
        if (!group.is_plain && group.block != 0) kernel->set(list_.launches[i], k, group.block);
      }
    }
  }

 private:
  // All images in a storage. Those that must have the same layout form a group, which one of them represents.
  struct Images {
    Images* group = nullptr;  // null: it represents the group
    ImageSizes sizes = {};
    bool is_plain = false;  // has channels first; of a group
    int64_t block = 0;      // 0: no kernel prefers one yet; of a group
  };

  static Images* group_of(Images& images) {
    Images* group = &images;
    while (group->group != nullptr) group = group->group;
    return group;
  }

  void note(const Storage* storage, const std::optional<ImageUse>& use) {
    Images& images = images_[storage];
    const auto is_images = [&](const ImageOperand& operand) { return operand.storage == storage; };
    if (!use || std::ranges::none_of(use->operands, is_images)) images.is_plain = true;
  }

  void join(const ImageUse& use) {
    if (!use.blocks.empty()) return;
    for (const ImageOperand& operand : use.operands) {
      Images *const group = group_of(images_[operand.storage]), *const first = group_of(images_[use.operands[0].storage]);
      if (group != first) group->group = first;
    }
  }

  void learn(const std::optional<ImageUse>& use) {
    if (!use) return;
    ImageSizes known;  // of one of the operands
    for (const ImageOperand& operand : use->operands) {
      const ImageSizes& sizes = operand.sizes.batch != 0 ? operand.sizes : images_[operand.storage].sizes;
      if (sizes.batch != 0) known = sizes;
    }
    for (const ImageOperand& operand : use->operands) {
      ImageSizes sizes = operand.sizes;
      if (sizes.points == 0) sizes.points = known.points;
      if (sizes.batch == 0) sizes = {known.batch, known.channels, sizes.points};
      if (sizes.batch == 0) continue;
      Images& images = images_[operand.storage];
      if (images.sizes.batch != 0 && images.sizes != sizes) images.is_plain = true;
      images.sizes = sizes;
    }
  }

  void choose(const std::optional<ImageUse>& use) {
    if (!use) return;
    for (size_t k = 0; k < use->blocks.size(); ++k) {
      Images& group = *group_of(images_[use->operands[k].storage]);
      const int64_t block = use->blocks[k];
      group.is_plain = group.is_plain || block == 0 || (group.block != 0 && group.block != block);
      group.block = block;
    }
  }

  // Afterwards the group's is_plain holds for all of its images.
  void check(const Storage* storage, Images& images) {
    Images& group = *group_of(images);
    const ImageSizes& s = images.sizes;
    const bool fits = s.batch != 0 && s.batch * s.channels * s.points == storage->size && group.block != 0 && s.channels % group.block == 0;
    if (images.is_plain || !fits) group.is_plain = true;
  }

  // Blocks must not extend over the edge of the channels that a launch uses.
  void check_parts(const std::optional<ImageUse>& use) {
    if (!use) return;
    for (const ImageOperand& operand : use->operands) {
      Images& group = *group_of(images_[operand.storage]);
      if (group.block != 0 && (operand.first % group.block != 0 || operand.end % group.block != 0)) group.is_plain = true;
    }
  }

  const LaunchList& list_;
  std::vector<std::optional<ImageUse>> uses_;  // by launch
  std::unordered_map<const Storage*, Images> images_;
};

}  // namespace

void choose_image_blocks(const LaunchList& list, const PackingContext& context) { Chooser(list, context).set(); }

}  // namespace mt
