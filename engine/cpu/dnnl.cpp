// Convolutions by oneDNN's C interface. Each operand is reordered to the kernel's preferred blocked layout, and the result back: on Zen 4
// and one thread, a 5x5 convolution of 128 x 32 x 12 x 12 to 64 channels takes 7.3 ms this way, reorders included, and 11.9 ms in plain
// layouts. Primitives (compiled machine code) are cached for the shapes used last.
//
// 3x3 kernels use Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray 2016) if it pays: 32 x 64 x 32 x 32 to 64 takes 9.3 ms instead
// of 20.5 (backward 8.4 and 9.7 ms instead of 20.5 and 24.3). Its largest error on normal deviates is 1e-5 of the result's deviation.
#include "engine/cpu/dnnl.h"

#if defined(MT_WITH_DNNL) && !defined(__SANITIZE_THREAD__)
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "engine/core/fork.h"
#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/cpu/dnnl_library.h"
#include "engine/cpu/transpose.h"
#include "engine/cpu/winograd.h"

namespace mt::cpu {
namespace {

using dnnl::check, dnnl::Owned, dnnl::Refused;

Tensor scratch(size_t bytes) { return Tensor::empty(DType::uint8, {static_cast<int64_t>(bytes)}); }

// One operand: the caller's layout, the primitive's layout, and the conversion between them.
struct Side {
  int argument = 0;
  Owned<dnnl::MemoryDesc> plain;
  const dnnl::MemoryDesc* wanted = nullptr;  // layout that the convolution prefers
  Images images;
  bool same = true, is_result = false;
  bool turned = false;  // from channels first to last: our own copy
  Owned<dnnl::PrimitiveDesc> reorder_desc;
  Owned<dnnl::Primitive> reorder;
  size_t bytes = 0;
};

// Scratch memory of a primitive.
struct Scratch {
  const dnnl::MemoryDesc* desc = nullptr;
  size_t bytes = 0;

  explicit Scratch(const dnnl::PrimitiveDesc* of)
      : desc(dnnl::library()->primitive_desc_query_md(of, dnnl::Query::scratchpad, 0)),
        bytes(dnnl::library()->memory_desc_get_size(desc)) {}
};

// A convolution compiled by oneDNN, and the layouts of its operands.
struct Compiled {
  Owned<dnnl::PrimitiveDesc> desc;
  Owned<dnnl::Primitive> primitive;
  Side x, weight, y;
  Owned<dnnl::MemoryDesc> bias;
  int bias_argument = 0;
};

Owned<dnnl::Primitive> compile(const dnnl::PrimitiveDesc* desc) {
  dnnl::Primitive* primitive = nullptr;
  check(dnnl::library()->primitive_create(&primitive, desc));
  return Owned<dnnl::Primitive>(primitive);
}

void add_reorder(Side& side, const dnnl::MemoryDesc* wanted) {
  const dnnl::Library& lib = *dnnl::library();
  side.wanted = wanted;
  side.same = lib.memory_desc_equal(side.plain.get(), wanted) != 0;
  if (side.same) return;
  side.bytes = lib.memory_desc_get_size(wanted);
  if (side.turned) return;
  const dnnl::MemoryDesc *from = side.is_result ? wanted : side.plain.get(), *to = side.is_result ? side.plain.get() : wanted;
  dnnl::PrimitiveDesc* created = nullptr;
  check(lib.reorder_primitive_desc_create(&created, from, lib.engine, to, lib.engine, lib.attributes));
  side.reorder_desc.reset(created);
  side.reorder = compile(created);
}

// An operand's sizes, and its descriptions: in the caller's layout, or in any, for the primitive to choose.
struct Operand {
  std::vector<int64_t> sizes;
  Owned<dnnl::MemoryDesc> desc;
};

struct Descs {
  Operand x, weight, bias, y;
};

// The axes for oneDNN: images of 1 dimension become images of 2.
std::span<const ConvAxis> axes_of(const ConvShape& s) {
  const bool flat = s.axes[0].size == 1 && s.axes[0].plain();
  return std::span(s.axes).subspan(flat ? 1 : 0);
}

enum class Layout { channels_first, channels_last, any };

// Strides without gaps, the last dimension innermost; with channels last, the second one is.
std::vector<int64_t> dense(std::span<const int64_t> sizes, Layout layout) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (layout == Layout::channels_last) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0; step *= sizes[order[i]]) strides[order[i]] = step;
  return strides;
}

// Descriptions in the images' layout; the weight is in Torch7's layout, or any.
Descs descs(const ConvShape& s, Layout layout, bool any_weight) {
  const auto axes = axes_of(s);
  const auto operand = [&](std::vector<int64_t> sizes, auto size_of, Layout wanted) {
    for (const ConvAxis& axis : axes) sizes.push_back(size_of(axis));
    Owned<dnnl::MemoryDesc> desc = wanted == Layout::any ? dnnl::describe_any(sizes) : dnnl::describe(sizes, dense(sizes, wanted));
    return Operand{std::move(sizes), std::move(desc)};
  };
  const auto kernel = [](const ConvAxis& axis) { return axis.kernel; };
  const Layout of_weight = any_weight ? Layout::any : Layout::channels_first;
  Descs d;
  d.x = operand(
      {s.batch, s.in}, [](const ConvAxis& axis) { return axis.size; }, layout);
  d.y = operand(
      {s.batch, s.out}, [](const ConvAxis& axis) { return axis.out(); }, layout);
  d.weight =
      s.groups == 1 ? operand({s.out, s.in}, kernel, of_weight) : operand({s.groups, s.out / s.groups, s.in / s.groups}, kernel, of_weight);
  const int64_t channels[] = {s.out}, step[] = {1};
  d.bias.desc = dnnl::describe(channels, step);
  return d;
}

// Tiles are 4 x 4 outputs. With few tiles or channels, transforming the weight costs more than the tiles save: one image of 14 x 14 with 64
// channels runs at 0.8 of the direct kernel's speed, one of 28 x 28 at 1.9. The weight's gradient is transformed once for all tiles: 8 x
// 512 x 7 x 7 to 512, 32 tiles, takes 14.4 ms instead of 26.7.
bool pays_for_winograd(ConvPass pass, const ConvShape& s) {
  const int64_t least_tiles = pass == ConvPass::weight_grad ? 16 : 48;
  return winograd_applies(s) && winograd_tiles(s) >= least_tiles;
}

// oneDNN's batch-reduce kernels. They require channels last, which it doesn't choose by itself; on AVX-512, for which they were written,
// they are faster than those that it chooses: 3x3 of 8 x 512 x 7 x 7 to 512 takes 5.7 ms of a Zen 5 core, not 6.9. Version 3 also has some
// for AVX2, which are slower: 3x3 of 2 x 64 x 56 x 56 to 64 takes 8.5 ms of a Zen 3 core, not 5.8.
bool is_batch_reduce(const dnnl::PrimitiveDesc* desc) {
  const char* name = nullptr;
  check(dnnl::library()->primitive_desc_query(desc, dnnl::Query::impl_info, 0, &name));
  return std::strncmp(name, "brg", 3) == 0 && std::strstr(name, "avx2") == nullptr;
}

// For few points of each image they read the weight again and again: 3x3 of 32 x 512 x 4 x 4 to 512 takes 17.7 ms of a Zen 5 core, with the
// other kernels 10.9; with 256 channels, whose weight stays in the second-level cache, both take 2.7.
bool suits_batch_reduce(ConvPass pass, const ConvShape& s) {
  constexpr int64_t least_channels = 16;  // fewer waste most of each vector
  constexpr int64_t few_points = 16, cached_weight = int64_t{1} << 20;
  const bool rereads = s.points() <= few_points && s.out / s.groups * s.patch() > cached_weight;
  return pass == ConvPass::forward && s.taps() > 1 && s.in / s.groups >= least_channels && !rereads;
}

// The parameters of a compiled convolution. The number of threads is one: a primitive divides its work when it is created.
struct Key {
  ConvShape shape;
  ImageLayout layout;  // the caller's
  ConvPass pass;
  int64_t with_bias, threads;
  bool operator==(const Key& other) const { return std::memcmp(this, &other, sizeof *this) == 0; }
};
static_assert(std::has_unique_object_representations_v<Key>);

Images images_of(std::span<const int64_t> sizes) {
  int64_t points = 1;
  for (const int64_t size : sizes.subspan(2)) points *= size;
  return {sizes[0], sizes[1], points, sizeof(float)};
}

std::shared_ptr<const Compiled> compile_for(const Key& key, dnnl::Algorithm way, Layout layout) {
  const dnnl::Library& lib = *dnnl::library();
  const auto& [s, callers, pass, with_bias, threads] = key;
  const Layout given = callers == ImageLayout::channels_last ? Layout::channels_last : Layout::channels_first;
  const Descs wanted = descs(s, layout, true);
  Descs plain = descs(s, given, false);
  dnnl::Convolution op{way, wanted.x.desc.get(), wanted.weight.desc.get(), nullptr, wanted.y.desc.get(), {}, {}, {}, {}};
  int i = 0;
  for (const ConvAxis& axis : axes_of(s)) {
    op.strides[i] = axis.stride;
    op.dilations[i] = axis.dilation - 1;
    op.pad[i] = axis.pad;
    op.far[i] = (axis.out() - 1) * axis.stride + axis.window() - axis.size - axis.pad;  // negative: elements after the last window
    ++i;
  }
  if (with_bias && pass == ConvPass::forward) op.bias = plain.bias.desc.get();
  Owned<dnnl::PrimitiveDesc> desc = dnnl::choose_forward(op);
  const bool turned = layout == Layout::channels_last && given != layout;
  if (turned && !is_batch_reduce(desc.get())) throw Refused();
  const auto compiled = std::make_shared<Compiled>();
  Side &x = compiled->x, &weight = compiled->weight, &y = compiled->y;
  dnnl::Query of_x = dnnl::Query::x, of_weight = dnnl::Query::weight, of_y = dnnl::Query::y;
  x.argument = dnnl::arg_x;
  weight.argument = dnnl::arg_weight;
  y.argument = dnnl::arg_y;
  compiled->bias_argument = dnnl::arg_bias;
  switch (pass) {
    case ConvPass::forward:
      y.is_result = true;
      break;
    case ConvPass::input_grad:
      desc = dnnl::choose_input_grad(op, *desc);
      x.is_result = true;
      x.argument = dnnl::arg_x_grad;
      y.argument = dnnl::arg_y_grad;
      of_x = dnnl::Query::x_grad;
      of_y = dnnl::Query::y_grad;
      break;
    case ConvPass::weight_grad:
      op.bias = with_bias ? plain.bias.desc.get() : nullptr;
      desc = dnnl::choose_weight_grad(op, *desc);
      weight.is_result = true;
      weight.argument = dnnl::arg_weight_grad;
      compiled->bias_argument = dnnl::arg_bias_grad;
      y.argument = dnnl::arg_y_grad;
      of_weight = dnnl::Query::weight_grad;
      of_y = dnnl::Query::y_grad;
      break;
  }
  x.turned = y.turned = turned;
  x.images = images_of(plain.x.sizes);
  y.images = images_of(plain.y.sizes);
  x.plain = std::move(plain.x.desc);
  weight.plain = std::move(plain.weight.desc);
  y.plain = std::move(plain.y.desc);
  compiled->bias = std::move(plain.bias.desc);
  compiled->desc = std::move(desc);
  add_reorder(x, lib.primitive_desc_query_md(compiled->desc.get(), of_x, 0));
  add_reorder(weight, lib.primitive_desc_query_md(compiled->desc.get(), of_weight, 0));
  add_reorder(y, lib.primitive_desc_query_md(compiled->desc.get(), of_y, 0));
  constexpr size_t most_scratch = size_t{256} << 20;
  if (way == dnnl::Algorithm::winograd && Scratch(compiled->desc.get()).bytes > most_scratch) throw Refused();
  compiled->primitive = compile(compiled->desc.get());
  return compiled;
}

// Returns an entry without a primitive if oneDNN has none, so that it isn't asked again.
std::shared_ptr<const Compiled> compile_best(const Key& key) {
  struct Way {
    bool suits;
    dnnl::Algorithm algorithm;
    Layout layout;
  };
  const bool last = key.layout == ImageLayout::channels_last;
  for (const Way way : {Way{pays_for_winograd(key.pass, key.shape), dnnl::Algorithm::winograd, Layout::any},
                        Way{last || suits_batch_reduce(key.pass, key.shape), dnnl::Algorithm::direct, Layout::channels_last},
                        Way{true, dnnl::Algorithm::direct, Layout::any}}) {
    if (!way.suits) continue;
    try {
      return compile_for(key, way.algorithm, way.layout);
    } catch (const Refused&) {
    }
  }
  return std::make_shared<Compiled>();
}

class Cache {
 public:
  std::shared_ptr<const Compiled> find(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (!(entry->first == key)) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return entries_.front().second;
    }
    return nullptr;
  }
  void keep(const Key& key, std::shared_ptr<const Compiled> compiled) {
    constexpr size_t most = 128;  // some kilobytes each: the layers of a large network, three passes each
    const std::lock_guard<std::mutex> lock(mutex_);
    entries_.emplace_front(key, std::move(compiled));
    if (entries_.size() > most) entries_.pop_back();
  }

 private:
  ForkSafeMutex mutex_;
  std::list<std::pair<Key, std::shared_ptr<const Compiled>>> entries_;  // the most recently used first
};

Cache& cache() {
  static Cache& kept = *new Cache;  // never destroyed: their library may be unloaded at exit
  return kept;
}

class Execution {
 public:
  Execution() {
    dnnl::Stream* stream = nullptr;
    check(dnnl::library()->stream_create(&stream, dnnl::library()->engine, dnnl::stream_default));
    stream_.reset(stream);
  }

  void run(const dnnl::Primitive* primitive, std::initializer_list<dnnl::ExecArg> arguments, const Scratch& needs) {
    dnnl::ExecArg all[6];
    int count = 0;
    for (const auto& argument : arguments)
      if (argument.memory) all[count++] = argument;
    Tensor space;
    Owned<dnnl::Memory> space_memory;
    if (needs.bytes != 0) {
      space = scratch(needs.bytes);
      space_memory = memory(needs.desc, space.bytes());
      all[count++] = {dnnl::arg_scratchpad, space_memory.get()};
    }
    const KeepsFromForking library_has_locks;
    const GeneratedCode theirs;
    check(dnnl::library()->primitive_execute(primitive, stream_.get(), count, all));
  }

  static Owned<dnnl::Memory> memory(const dnnl::MemoryDesc* desc, void* data) {
    dnnl::Memory* created = nullptr;
    check(dnnl::library()->memory_create(&created, desc, dnnl::library()->engine, data));
    return Owned<dnnl::Memory>(created);
  }

 private:
  Owned<dnnl::Stream> stream_;
};

// An operand's memory in the primitive's layout, for one execution.
struct Placed {
  Tensor space;
  Owned<dnnl::Memory> memory;

  Placed(Execution& run, const Side& side, float* data) : side_(side), data_(data) {
    if (side.same) {
      memory = Execution::memory(side.plain.get(), data);
      return;
    }
    space = scratch(side.bytes);
    memory = Execution::memory(side.wanted, space.bytes());
    if (!side.is_result) reorder(run, dnnl::arg_to, dnnl::arg_from);
  }
  void bring_back(Execution& run) const {
    if (!side_.same && side_.is_result) reorder(run, dnnl::arg_from, dnnl::arg_to);
  }

 private:
  void reorder(Execution& run, int placed_is, int plain_is) const {
    if (side_.turned) {
      auto* const plain = reinterpret_cast<std::byte*>(data_);
      if (side_.is_result)
        lay_out(side_.images, ImageLayout::channels_first, space.bytes(), plain);
      else
        lay_out(side_.images, ImageLayout::channels_last, plain, space.bytes());
      return;
    }
    const auto plain = Execution::memory(side_.plain.get(), data_);
    run.run(side_.reorder.get(), {{placed_is, memory.get()}, {plain_is, plain.get()}}, Scratch(side_.reorder_desc.get()));
  }

  const Side& side_;
  float* const data_;
};

// The division of a batch: parts of `images` images for any number of threads, in parallel if oneDNN uses one.
struct Division {
  int64_t images = 0;
  int threads = 1;  // of oneDNN
};

// Chooses parts whose reordered copies stay in the second-level cache, with enough work that the cost of a call is negligible, and for
// Winograd's method enough tiles to pay for the transformed weight. 1x1 of 8 x 256 x 56 x 56 to 64: 9.6 ms, all at once 11.0.
Division divide(ConvPass pass, const ConvShape& s, ImageLayout layout, int threads) {
  constexpr int64_t cached_bytes = int64_t{512} << 10, least_work = 4'000'000, least_tiles = 256;
  const bool as_it_is = layout == ImageLayout::channels_last && !pays_for_winograd(pass, s);
  if (pass == ConvPass::weight_grad || s.batch == 1 || as_it_is) return {s.batch, threads};
  const int64_t bytes = static_cast<int64_t>(sizeof(float)) * (s.in * s.image() + s.out * s.points()), work = s.work() / s.batch;
  const int64_t weight_bytes = static_cast<int64_t>(sizeof(float)) * s.out * s.patch();  // read again for each part
  int64_t images = std::max(std::max(cached_bytes, weight_bytes) / bytes, (least_work + work - 1) / work);
  if (pays_for_winograd(pass, s)) images = std::max(images, (least_tiles * s.batch + winograd_tiles(s) - 1) / winograd_tiles(s));
  images = std::clamp<int64_t>(images, 1, s.batch);
  while (s.batch % images != 0) ++images;
  return {images, s.batch / images % threads == 0 ? 1 : threads};
}

// Runs a compiled convolution for the images of one part on all of them; the weight is reordered once.
void execute(const Compiled& convolution, const ConvShape& s, const Division& division, float* x, float* weight, float* bias, float* y) {
  const Scratch needs(convolution.desc.get());
  Execution weight_run;
  const Placed weight_placed(weight_run, convolution.weight, weight);
  const int64_t x_step = division.images * s.in * s.image(), y_step = division.images * s.out * s.points();
  const auto run_parts = [&](int64_t begin, int64_t end) {
    const OpenMpThreads theirs(division.threads);
    Execution run;
    const auto bias_memory = bias ? Execution::memory(convolution.bias.get(), bias) : nullptr;
    for (int64_t part = begin; part < end; ++part) {
      look_for_interrupt();
      const Placed x_placed(run, convolution.x, x + part * x_step), y_placed(run, convolution.y, y + part * y_step);
      run.run(convolution.primitive.get(),
              {{convolution.x.argument, x_placed.memory.get()},
               {convolution.weight.argument, weight_placed.memory.get()},
               {convolution.bias_argument, bias_memory.get()},
               {convolution.y.argument, y_placed.memory.get()}},
              needs);
      x_placed.bring_back(run);
      y_placed.bring_back(run);
    }
  };
  const int64_t parts = s.batch / division.images;
  if (division.threads == 1)
    parallel_ranges(parts, 1, run_parts);
  else
    run_parts(0, parts);
  weight_placed.bring_back(weight_run);
}

}  // namespace

bool has_dnnl() { return dnnl::library() != nullptr; }

std::string dnnl_version() {
  if (!has_dnnl()) return "";
  const dnnl::Version& version = *dnnl::library()->version();
  return std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' + std::to_string(version.patch);
}

bool dnnl_conv(ConvPass pass, const ConvShape& shape, ImageLayout layout, float* x, float* weight, float* bias, float* y) {
  if (!has_dnnl()) return false;
  constexpr int64_t worth_a_thread = 1'000'000;  // multiplications
  const Division division = divide(pass, shape, layout, in_parallel() || shape.work() < worth_a_thread ? 1 : num_threads());
  const OpenMpThreads theirs(division.threads);
  ConvShape part = shape;
  part.batch = division.images;
  const Key key{part, layout, pass, bias != nullptr, division.threads};
  std::shared_ptr<const Compiled> compiled = cache().find(key);
  if (!compiled) {
    const KeepsFromForking library_has_locks;
    compiled = compile_best(key);
    cache().keep(key, compiled);
  }
  if (!compiled->primitive) return false;
  try {
    execute(*compiled, shape, division, x, weight, bias, y);
  } catch (const Refused&) {
    return false;
  }
  return true;
}

}  // namespace mt::cpu

#else

namespace mt::cpu {

bool has_dnnl() { return false; }
std::string dnnl_version() { return ""; }
bool dnnl_conv(ConvPass, const ConvShape&, ImageLayout, float*, float*, float*, float*) { return false; }

}  // namespace mt::cpu
#endif
