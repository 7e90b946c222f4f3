#include "engine/cpu/dnnl_packed.h"

#if defined(MT_WITH_DNNL) && !defined(__SANITIZE_THREAD__)
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "engine/core/fork.h"
#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/cpu/dnnl.h"
#include "engine/cpu/dnnl_library.h"
#include "engine/cpu/winograd.h"

namespace mt::cpu {
namespace {

using dnnl::check, dnnl::Owned, dnnl::Refused;

constexpr int64_t line = 64;
int64_t rounded(int64_t bytes) { return (bytes + line - 1) / line * line; }

Owned<dnnl::Primitive> compile(const dnnl::PrimitiveDesc* desc) {
  dnnl::Primitive* primitive = nullptr;
  check(dnnl::library()->primitive_create(&primitive, desc));
  return Owned<dnnl::Primitive>(primitive);
}

Owned<dnnl::Memory> memory(const dnnl::MemoryDesc* desc, void* data) {
  dnnl::Memory* created = nullptr;
  check(dnnl::library()->memory_create(&created, desc, dnnl::library()->engine, data));
  return Owned<dnnl::Memory>(created);
}

Owned<dnnl::Stream> new_stream() {
  dnnl::Stream* stream = nullptr;
  check(dnnl::library()->stream_create(&stream, dnnl::library()->engine, dnnl::stream_default));
  return Owned<dnnl::Stream>(stream);
}

// A primitive with its scratch memory, and the memory that it reads and writes.
class Bound {
 public:
  Bound() = default;
  Bound(const dnnl::Primitive* primitive, const dnnl::PrimitiveDesc* desc, std::byte* scratch) : primitive_(primitive) {
    const dnnl::MemoryDesc* const wanted = dnnl::library()->primitive_desc_query_md(desc, dnnl::Query::scratchpad, 0);
    if (dnnl::library()->memory_desc_get_size(wanted) != 0) add(dnnl::arg_scratchpad, wanted, scratch);
  }

  void add(int argument, const dnnl::MemoryDesc* desc, void* data) {
    memories_.push_back(memory(desc, data));
    arguments_.push_back({argument, memories_.back().get()});
  }
  explicit operator bool() const { return primitive_ != nullptr; }
  void run(dnnl::Stream* stream) const {
    check(dnnl::library()->primitive_execute(primitive_, stream, static_cast<int>(arguments_.size()), arguments_.data()));
  }

 private:
  const dnnl::Primitive* primitive_ = nullptr;
  std::vector<Owned<dnnl::Memory>> memories_;
  std::vector<dnnl::ExecArg> arguments_;
};

// A conversion between two layouts.
struct Reorder {
  Owned<dnnl::PrimitiveDesc> desc;
  Owned<dnnl::Primitive> primitive;

  Reorder() = default;
  Reorder(const dnnl::MemoryDesc* from, const dnnl::MemoryDesc* to) {
    const dnnl::Library& lib = *dnnl::library();
    dnnl::PrimitiveDesc* created = nullptr;
    check(lib.reorder_primitive_desc_create(&created, from, lib.engine, to, lib.engine, lib.attributes));
    desc.reset(created);
    primitive = compile(created);
  }
  int64_t scratch() const {
    const dnnl::Library& lib = *dnnl::library();
    return static_cast<int64_t>(lib.memory_desc_get_size(lib.primitive_desc_query_md(desc.get(), dnnl::Query::scratchpad, 0)));
  }
  Bound bind(const dnnl::MemoryDesc* from, void* source, const dnnl::MemoryDesc* to, void* result, std::byte* scratch_memory) const {
    Bound bound(primitive.get(), desc.get(), scratch_memory);
    bound.add(dnnl::arg_from, from, source);
    bound.add(dnnl::arg_to, to, result);
    return bound;
  }
};

std::vector<int64_t> row_major(std::span<const int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0; step *= sizes[i]) strides[i] = step;
  return strides;
}

// Images in the caller's layout and in the kernel's.
struct Images {
  std::vector<int64_t> sizes;
  Owned<dnnl::MemoryDesc> plain, any;
  const dnnl::MemoryDesc* wanted = nullptr;  // the kernel's
  bool same = true;
  int64_t bytes = 0;  // in the kernel's layout
  Reorder to_wanted, to_plain;

  explicit Images(std::vector<int64_t> its_sizes)
      : sizes(std::move(its_sizes)), plain(dnnl::describe(sizes, row_major(sizes))), any(dnnl::describe_any(sizes)) {}
  void settle(const dnnl::MemoryDesc* chosen) {
    wanted = chosen;
    same = dnnl::library()->memory_desc_equal(plain.get(), wanted) != 0;
    bytes = static_cast<int64_t>(dnnl::library()->memory_desc_get_size(wanted));
    if (same) return;
    to_wanted = Reorder(plain.get(), wanted);
    to_plain = Reorder(wanted, plain.get());
  }
  int64_t block() const {
    for (const int64_t block : {16, 8}) {
      const auto blocks = sizes[1] % block == 0 ? dnnl::describe_blocks(sizes, block) : nullptr;
      if (blocks != nullptr && dnnl::library()->memory_desc_equal(blocks.get(), wanted) != 0) return block;
    }
    return 0;
  }
};

std::vector<int64_t> image_sizes(const ConvShape& s, bool of_result) {
  std::vector<int64_t> sizes{s.batch, of_result ? s.out : s.in};
  for (const ConvAxis& axis : std::span(s.axes).subspan(1)) sizes.push_back(of_result ? axis.out() : axis.size);
  return sizes;
}

std::vector<int64_t> weight_sizes(const ConvShape& s) {
  std::vector<int64_t> sizes{s.out / s.groups, s.in / s.groups};
  if (s.groups > 1) sizes.insert(sizes.begin(), s.groups);
  for (const ConvAxis& axis : std::span(s.axes).subspan(1)) sizes.push_back(axis.kernel);
  return sizes;
}

// With a weight that was transformed once, Winograd's method needs few tiles and channels. Zen 5, one thread, 3x3 (direct): 64 x 56 x 56 to
// 64 0.48 ms (1.01), 256 x 14 x 14 to 256 0.42 (0.84), 512 x 7 x 7 to 512, 4 tiles, 0.66 (0.78).
bool pays_for_packed_winograd(const ConvShape& s) {
  constexpr int64_t least_tiles = 4, least_channels = 16;
  return winograd_applies(s, least_channels) && winograd_tiles(s) >= least_tiles;
}

ConvShape part_of(const DnnlConvolutionKey& key) {
  ConvShape part = key.shape;
  part.batch /= key.parts();
  return part;
}

// Compiled for a part of the batch.
class Convolution final : public DnnlConvolution {
 public:
  Convolution(const DnnlConvolutionKey& key, const float* given_weight)
      : key(key), part(part_of(key)), x(image_sizes(part, false)), y(image_sizes(part, true)) {
    const dnnl::Library& lib = *dnnl::library();
    const ConvShape& s = part;
    const std::vector<int64_t> of_weight = weight_sizes(s);
    const Owned<dnnl::MemoryDesc> any_weight = dnnl::describe_any(of_weight),
                                  plain_weight = dnnl::describe(of_weight, row_major(of_weight));
    const int64_t channels[] = {s.out}, step[] = {1};
    bias = dnnl::describe(channels, step);
    const dnnl::MemoryDesc* const of_bias = key.with_bias ? bias.get() : nullptr;
    dnnl::Convolution op{dnnl::Algorithm::direct, x.any.get(), any_weight.get(), of_bias, y.any.get(), {}, {}, {}, {}};
    int i = 0;
    for (const ConvAxis& axis : std::span(s.axes).subspan(1)) {
      op.strides[i] = axis.stride;
      op.dilations[i] = axis.dilation - 1;
      op.pad[i] = axis.pad;
      op.far[i] = (axis.out() - 1) * axis.stride + axis.window() - axis.size - axis.pad;
      ++i;
    }
    const Owned<dnnl::Attributes> attributes = dnnl::attributes_with(key.adds, {key.relu != 0, key.most});
    desc = choose(op, attributes.get());
    x.settle(lib.primitive_desc_query_md(desc.get(), dnnl::Query::x, 0));
    y.settle(lib.primitive_desc_query_md(desc.get(), dnnl::Query::y, 0));
    weight_desc = lib.primitive_desc_query_md(desc.get(), dnnl::Query::weight, 0);
    weight = Tensor::empty(DType::uint8, {static_cast<int64_t>(lib.memory_desc_get_size(weight_desc))});
    if (lib.memory_desc_equal(plain_weight.get(), weight_desc) != 0) {
      std::memcpy(weight.bytes(), given_weight, static_cast<size_t>(weight.numel()));
    } else {
      const Reorder reorder(plain_weight.get(), weight_desc);
      const Tensor scratch = Tensor::empty(DType::uint8, {reorder.scratch()});
      reorder.bind(plain_weight.get(), const_cast<float*>(given_weight), weight_desc, weight.bytes(), scratch.bytes())
          .run(new_stream().get());
    }
    primitive = compile(desc.get());
    own_scratch = static_cast<int64_t>(lib.memory_desc_get_size(lib.primitive_desc_query_md(desc.get(), dnnl::Query::scratchpad, 0)));
    for (const Images* images : {&x, &y}) {
      if (!images->same) own_scratch = std::max({own_scratch, images->to_wanted.scratch(), images->to_plain.scratch()});
    }
  }

  const ConvShape& shape() const override { return key.shape; }
  int64_t x_block() const override { return x.block(); }
  int64_t y_block() const override { return y.block(); }
  int64_t scratch_of_part() const { return rounded(own_scratch) + rounded(x.same ? 0 : x.bytes) + rounded(y.same ? 0 : y.bytes); }
  int64_t scratch_bytes() const override { return key.parts() * scratch_of_part(); }

  // Winograd's method if it pays and oneDNN has it, else the direct one. Both prefer blocks of channels: the direct method for inference
  // would choose channels last, which differs from the layout of the other method, and to which reorders are slow.
  Owned<dnnl::PrimitiveDesc> choose(dnnl::Convolution& op, const dnnl::Attributes* attributes) const {
    if (pays_for_packed_winograd(part)) {
      try {
        dnnl::Convolution winograd = op;
        winograd.algorithm = dnnl::Algorithm::winograd;
        winograd.kind = dnnl::forward_inference;
        return dnnl::choose_forward(winograd, attributes);
      } catch (const Refused&) {
      }
    }
    return dnnl::choose_forward(op, attributes);
  }

  const DnnlConvolutionKey key;
  const ConvShape part;
  Images x, y;
  Owned<dnnl::MemoryDesc> bias;
  Owned<dnnl::PrimitiveDesc> desc;
  Owned<dnnl::Primitive> primitive;
  const dnnl::MemoryDesc* weight_desc = nullptr;
  Tensor weight;  // bytes in the kernel's layout
  int64_t own_scratch = 0;
};

// A part of the batch in its memory.
class PartRun {
 public:
  PartRun(const Convolution& c, const DnnlOperands& o) : stream_(new_stream()) {
    std::byte* const own = o.scratch;
    std::byte* const space_x = own + rounded(c.own_scratch);
    std::byte* const space_y = space_x + rounded(c.x.same ? 0 : c.x.bytes);
    void* const x = c.x.same || o.own_x ? static_cast<void*>(o.x) : space_x;
    void* const y = c.y.same || o.own_y ? static_cast<void*>(o.y) : space_y;
    if (x == space_x) before_ = c.x.to_wanted.bind(c.x.plain.get(), o.x, c.x.wanted, x, own);
    if (o.added != nullptr && o.added != y) {
      if (c.y.same || o.own_added) {
        copied_from_ = o.added;
        copied_to_ = y;
        copied_bytes_ = static_cast<size_t>(c.y.bytes);
      } else {
        added_ = c.y.to_wanted.bind(c.y.plain.get(), o.added, c.y.wanted, y, own);
      }
    }
    main_ = Bound(c.primitive.get(), c.desc.get(), own);
    main_.add(dnnl::arg_x, c.x.wanted, x);
    main_.add(dnnl::arg_weight, c.weight_desc, c.weight.bytes());
    if (c.key.with_bias) main_.add(dnnl::arg_bias, c.bias.get(), o.bias);
    main_.add(dnnl::arg_y, c.y.wanted, y);
    if (y == space_y) after_ = c.y.to_plain.bind(c.y.wanted, y, c.y.plain.get(), o.y, own);
  }

  void run() const {
    if (before_) before_.run(stream_.get());
    if (copied_to_ != nullptr) std::memcpy(copied_to_, copied_from_, copied_bytes_);
    if (added_) added_.run(stream_.get());
    main_.run(stream_.get());
    if (after_) after_.run(stream_.get());
  }

 private:
  Owned<dnnl::Stream> stream_;
  Bound before_, added_, main_, after_;
  const void* copied_from_ = nullptr;
  void* copied_to_ = nullptr;
  size_t copied_bytes_ = 0;
};

class Run final : public DnnlRun {
 public:
  Run(std::shared_ptr<const DnnlConvolution> convolution, const DnnlOperands& o) : shared_(std::move(convolution)), operands_(o) {
    const Convolution& c = compiled();
    const int64_t x_step = c.part.batch * c.part.in * c.part.image(), y_step = c.part.batch * c.part.out * c.part.points();
    for (int64_t i = 0; i < c.key.parts(); ++i) {
      DnnlOperands part = o;
      part.x += i * x_step;
      part.y += i * y_step;
      if (part.added != nullptr) part.added += i * y_step;
      part.scratch += i * c.scratch_of_part();
      parts_.emplace_back(c, part);
    }
  }

  void run() override {
    const auto count = static_cast<int64_t>(parts_.size());
    const int threads = count == 1 ? static_cast<int>(compiled().key.threads) : 1;
    parallel_ranges(count, 1, [&](int64_t begin, int64_t end) {
      const OpenMpThreads theirs(threads);
      const KeepsFromForking library_has_locks;
      const GeneratedCode generated;
      for (int64_t i = begin; i < end; ++i) parts_[static_cast<size_t>(i)].run();
    });
  }
  const DnnlOperands& operands() const override { return operands_; }

 private:
  const Convolution& compiled() const { return static_cast<const Convolution&>(*shared_); }

  const std::shared_ptr<const DnnlConvolution> shared_;
  const DnnlOperands operands_;
  std::vector<PartRun> parts_;
};

}  // namespace

std::shared_ptr<const DnnlConvolution> dnnl_convolution(const DnnlConvolutionKey& key, const float* weight) {
  if (!has_dnnl() || key.shape.axes[0].size != 1 || !key.shape.axes[0].plain()) return nullptr;
  const OpenMpThreads theirs(key.parts() == 1 ? static_cast<int>(key.threads) : 1);
  const KeepsFromForking library_has_locks;
  try {
    return std::make_shared<Convolution>(key, weight);
  } catch (const Refused&) {
    return nullptr;
  }
}

std::unique_ptr<DnnlRun> dnnl_run(std::shared_ptr<const DnnlConvolution> convolution, const DnnlOperands& operands) {
  return std::make_unique<Run>(std::move(convolution), operands);
}

}  // namespace mt::cpu

#else

namespace mt::cpu {

std::shared_ptr<const DnnlConvolution> dnnl_convolution(const DnnlConvolutionKey&, const float*) { return nullptr; }
std::unique_ptr<DnnlRun> dnnl_run(std::shared_ptr<const DnnlConvolution>, const DnnlOperands&) { return nullptr; }

}  // namespace mt::cpu
#endif
