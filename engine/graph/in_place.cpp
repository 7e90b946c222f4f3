#include "engine/graph/in_place.h"

#include <algorithm>
#include <unordered_map>

#include "engine/core/copy_plan.h"
#include "engine/core/placing.h"

namespace mt {
namespace {

// Bytes of a storage.
struct Part {
  int64_t first, end;

  explicit Part(const Tensor& t) : first(t.offset()), end(t.offset() + 1) {
    for (int d = 0; d < t.dim(); ++d) (t.stride(d) < 0 ? first : end) += (t.size(d) - 1) * t.stride(d);
    first *= size_of(t.dtype());
    end *= size_of(t.dtype());
  }
  bool is_apart_from(const Part& other) const { return end <= other.first || other.end <= first; }
};

class Placer {
 public:
  Placer(LaunchList& list, const PackingContext& context) : list_(list), context_(context) {
    for (size_t i = 0; i < list.launches.size(); ++i) {
      list.launches[i].each_storage([&](const Storage* storage) {
        std::vector<size_t>& uses = uses_[storage];
        if (uses.empty() || uses.back() != i) uses.push_back(i);
      });
    }
    for (const auto& [storage, uses] : uses_) first_uses_[storage] = uses.front();
  }

  void run() {
    std::vector<bool> is_left_out(list_.launches.size(), false);
    for (size_t i = 0; i < list_.launches.size(); ++i) {
      const std::optional<Placing> placing = placing_of(list_.launches[i]);
      if (!placing || !can_move(*placing, i)) continue;
      is_left_out[i] = placing->is_copy;
      move(*placing);
    }
    size_t at = 0;
    std::erase_if(list_.launches, [&](const Launch&) { return is_left_out[at++]; });
  }

 private:
  bool can_move(const Placing& p, size_t launch) const {
    const Tensor &value = p.value, &place = p.place;
    Storage* const from = value.storage();
    if (from == place.storage() || value.dtype() != place.dtype() || value.device() != cpu_device || place.device() != cpu_device ||
        !value.is_contiguous() || !place.is_contiguous())
      return false;
    const bool is_whole = value.offset() == 0 && from->size == value.numel() && from->dtype == value.dtype();
    // Others may hold the value: an input, an output, or a table of a kernel.
    if (!is_whole || !from->is_unique() || context_.kept.count(from) != 0 || context_.constants.count(from) != 0) return false;
    const auto uses = uses_.find(from), others = uses_.find(place.storage());
    if (uses->second.back() != launch) return false;
    const size_t first = first_uses_.at(from);
    return std::ranges::all_of(others->second,
                               [&](size_t use) { return use < first || use >= launch || copies_apart_from(list_.launches[use], place); });
  }

  static bool copies_apart_from(const Launch& launch, const Tensor& place) {
    if (launch.kernel().run != copy_kernel().run) return false;
    const auto& plan = *static_cast<const CopyPlan*>(launch.plan());
    const auto is_apart = [&](const Tensor& t) { return t.storage() != place.storage() || Part(t).is_apart_from(Part(place)); };
    return is_apart(plan.dst) && is_apart(plan.src);
  }

  void move(const Placing& p) {
    Storage *const from = p.value.storage(), *const to = p.place.storage();
    const int64_t first_byte = Part(p.place).first;
    PlaceVisitor visitor([&](OperandPlace& place) {
      if (place.storage != from) return;
      place.storage = to;
      place.offset += first_byte;
    });
    for (const Launch& launch : list_.launches) launch.visit(visitor);
    first_uses_[to] = std::min(first_uses_[to], first_uses_[from]);
  }

  LaunchList& list_;
  const PackingContext& context_;
  std::unordered_map<const Storage*, std::vector<size_t>> uses_;  // by launches, before values moved
  std::unordered_map<const Storage*, size_t> first_uses_;         // with those of values that moved there
};

}  // namespace

void compute_in_place(LaunchList& list, const PackingContext& context) { Placer(list, context).run(); }

}  // namespace mt
