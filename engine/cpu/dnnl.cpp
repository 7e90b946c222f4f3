// Convolutions by oneDNN's C interface. Each operand is reordered into the blocked layout that the kernel wants, and the result back: on
// Zen 4 and one thread, a 5x5 convolution of 128 x 32 x 12 x 12 to 64 channels takes 7.3 ms so, reorders included, and 11.9 ms on plain
// layouts. Primitives (compiled machine code) are kept for the shapes used last.
//
// 3x3 kernels go by Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray 2016) where it pays: 32 x 64 x 32 x 32 to 64 takes 9.3 ms in
// place of 20.5 (backward 8.4 and 9.7 ms for 20.5 and 24.3). Its largest error on normal deviates is 1e-5 of the result's deviation.
#include "engine/cpu/dnnl.h"

#if defined(MT_WITH_DNNL) && !defined(__SANITIZE_THREAD__)
#include <dlfcn.h>
#include <dnnl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "engine/core/fork.h"
#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/cpu/transpose.h"

namespace mt::cpu {
namespace {

#define MT_DNNL_FUNCTIONS(apply)                                                                                                     \
  apply(engine_create) apply(stream_create) apply(stream_destroy) apply(memory_desc_init_by_tag) apply(memory_desc_equal)            \
      apply(memory_desc_get_size) apply(memory_create) apply(memory_destroy) apply(dilated_convolution_forward_desc_init)            \
          apply(dilated_convolution_backward_data_desc_init) apply(dilated_convolution_backward_weights_desc_init)                   \
              apply(primitive_desc_create) apply(primitive_desc_destroy) apply(primitive_desc_query_md) apply(primitive_create)      \
                  apply(primitive_desc_query) apply(primitive_destroy) apply(primitive_execute) apply(reorder_primitive_desc_create) \
                      apply(primitive_attr_create) apply(primitive_attr_set_scratchpad_mode)

struct Library {
#define MT_MEMBER(name) decltype(&dnnl_##name) name = nullptr;
  MT_DNNL_FUNCTIONS(MT_MEMBER)
#undef MT_MEMBER
  dnnl_engine_t engine = nullptr;
  dnnl_primitive_attr_t attributes = nullptr;
};

// Keeps our own library in memory for good: what it has compiled is never destroyed, as the library it belongs to may be gone
// at exit, and a host that opens and closes us again finds it instead of compiling again.
void stay_loaded() {
  Dl_info self;
  static const char here = 0;
  if (dladdr(&here, &self) != 0) dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

const Library* open_library() {
  const char* const wanted = getenv("MOONTORCH_DNNL");
  if (wanted && std::strcmp(wanted, "0") == 0) return nullptr;
  const OpenMpThreads opens_the_runtime_our_way(1);
  const std::string name = "libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR);
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return nullptr;
  stay_loaded();
  static Library library;
  bool complete = true;
#define MT_FIND(name)                                                                    \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, "dnnl_" #name)); \
  complete = complete && library.name;
  MT_DNNL_FUNCTIONS(MT_FIND)
#undef MT_FIND
  // Scratch memory is ours, so that a primitive may run in several threads.
  if (!complete || library.engine_create(&library.engine, dnnl_cpu, 0) != dnnl_success ||
      library.primitive_attr_create(&library.attributes) != dnnl_success ||
      library.primitive_attr_set_scratchpad_mode(library.attributes, dnnl_scratchpad_mode_user) != dnnl_success)
    return nullptr;
  return &library;
}

const Library* dnnl() {
  static const Library* const opened = open_library();
  return opened;
}

void destroy(dnnl_primitive_t primitive) { dnnl()->primitive_destroy(primitive); }
void destroy(dnnl_primitive_desc_t desc) { dnnl()->primitive_desc_destroy(desc); }
void destroy(dnnl_memory_t memory) { dnnl()->memory_destroy(memory); }
void destroy(dnnl_stream_t stream) { dnnl()->stream_destroy(stream); }

template <class Handle> struct Destroy {
  using pointer = Handle;
  void operator()(Handle handle) const { destroy(handle); }
};
template <class Handle> using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle>>;

class Refused {};  // oneDNN has no kernel for it

void check(dnnl_status_t status) {
  if (status == dnnl_out_of_memory) raise(Status::memory, "convolution: out of memory in oneDNN");
  if (status != dnnl_success) throw Refused();
}

Tensor scratch(size_t bytes) { return Tensor::empty(DType::uint8, {static_cast<int64_t>(bytes)}); }

// One operand: how the caller has it, how the primitive wants it, and what takes it from one to the other.
struct Side {
  int argument = 0;
  dnnl_memory_desc_t plain{}, wanted{};
  bool same = true, is_result = false;
  bool turned = false;  // from channels first to last: a copy of our own
  Owned<dnnl_primitive_t> reorder;
  size_t reorder_scratch = 0, bytes = 0;
};

// A convolution that oneDNN has compiled, and what it wants of its operands.
struct Compiled {
  Owned<dnnl_primitive_t> primitive;
  dnnl_memory_desc_t scratch_desc{};
  size_t scratch_bytes = 0;
  Side x, weight, y;
  dnnl_memory_desc_t bias{};
  int bias_argument = 0;
};

Owned<dnnl_primitive_t> compile(dnnl_primitive_desc_t desc) {
  dnnl_primitive_t primitive = nullptr;
  check(dnnl()->primitive_create(&primitive, desc));
  return Owned<dnnl_primitive_t>(primitive);
}

void add_reorder(Side& side, const dnnl_memory_desc_t* wanted) {
  const Library& lib = *dnnl();
  side.wanted = *wanted;
  side.same = lib.memory_desc_equal(&side.plain, &side.wanted) != 0;
  if (side.same) return;
  side.bytes = lib.memory_desc_get_size(&side.wanted);
  if (side.turned) return;
  const dnnl_memory_desc_t &from = side.is_result ? side.wanted : side.plain, &to = side.is_result ? side.plain : side.wanted;
  dnnl_primitive_desc_t created = nullptr;
  check(lib.reorder_primitive_desc_create(&created, &from, lib.engine, &to, lib.engine, lib.attributes));
  const Owned<dnnl_primitive_desc_t> desc(created);
  side.reorder_scratch = lib.memory_desc_get_size(lib.primitive_desc_query_md(created, dnnl_query_scratchpad_md, 0));
  side.reorder = compile(created);
}

struct Descs {
  dnnl_memory_desc_t x, weight, bias, y;
};

// The axes that oneDNN sees: images of 1 dimension are to it of 2.
std::span<const ConvAxis> axes_of(const ConvShape& s) {
  const bool flat = s.axes[0].size == 1 && s.axes[0].plain();
  return std::span(s.axes).subspan(flat ? 1 : 0);
}

enum class Layout { channels_first, channels_last, any };

// Images' layout; the weight is as Torch7 has it, or any.
Descs descs(const ConvShape& s, Layout layout, bool any_weight) {
  Descs d{};
  const auto axes = axes_of(s);
  const bool flat = axes.size() == 2;
  const auto init = [&](dnnl_memory_desc_t& desc, std::initializer_list<int64_t> channels, auto size_of, dnnl_format_tag_t tag) {
    dnnl_dims_t dims;
    int64_t* next = std::copy(channels.begin(), channels.end(), dims);
    for (const ConvAxis& axis : axes) *next++ = size_of(axis);
    check(dnnl()->memory_desc_init_by_tag(&desc, static_cast<int>(next - dims), dims, dnnl_f32, tag));
  };
  const dnnl_format_tag_t images = layout == Layout::any             ? dnnl_format_tag_any
                                   : layout == Layout::channels_last ? (flat ? dnnl_nhwc : dnnl_ndhwc)
                                                                     : (flat ? dnnl_nchw : dnnl_ncdhw);
  init(
      d.x, {s.batch, s.in}, [](const ConvAxis& axis) { return axis.size; }, images);
  init(
      d.y, {s.batch, s.out}, [](const ConvAxis& axis) { return axis.out(); }, images);
  const auto kernel = [](const ConvAxis& axis) { return axis.kernel; };
  const auto weight_tag = [&](dnnl_format_tag_t plain) { return any_weight ? dnnl_format_tag_any : plain; };
  if (s.groups == 1)
    init(d.weight, {s.out, s.in}, kernel, weight_tag(flat ? dnnl_oihw : dnnl_oidhw));
  else
    init(d.weight, {s.groups, s.out / s.groups, s.in / s.groups}, kernel, weight_tag(flat ? dnnl_goihw : dnnl_goidhw));
  const dnnl_dims_t channels = {s.out};
  check(dnnl()->memory_desc_init_by_tag(&d.bias, 1, channels, dnnl_f32, dnnl_x));
  return d;
}

bool allows_winograd() {
  static const bool allowed = [] {
    const char* const wanted = getenv("MOONTORCH_DNNL");
    return !wanted || std::strcmp(wanted, "direct") != 0;
  }();
  return allowed;
}

int64_t tiles(const ConvShape& s) { return s.batch * ((s.axes[1].out() + 3) / 4) * ((s.axes[2].out() + 3) / 4); }

// Tiles are 4 x 4 outputs. With fewer tiles or channels, transforming the weight costs more than the tiles save: one image of 14 x 14
// with 64 channels runs at 0.8 of the direct kernel's speed, one of 28 x 28 at 1.9. The weight's gradient is transformed once for all
// tiles: 8 x 512 x 7 x 7 to 512, 32 tiles, takes 14.4 ms in place of 26.7.
bool suits_winograd(ConvPass pass, const ConvShape& s) {
  constexpr int64_t least_channels = 32;
  const int64_t least_tiles = pass == ConvPass::weight_grad ? 16 : 48;
  const auto suits = [](const ConvAxis& axis) { return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1 && axis.pad <= 1; };
  const ConvAxis &rows = s.axes[1], &columns = s.axes[2];
  if (!s.axes[0].plain() || s.axes[0].size != 1 || !suits(rows) || !suits(columns) || s.groups != 1) return false;
  return std::min(s.in, s.out) >= least_channels && tiles(s) >= least_tiles && allows_winograd();
}

// oneDNN's batch-reduce kernels. They want channels last, which it doesn't choose by itself; where they are meant for, with AVX-512, they
// are faster than those that it chooses: 3x3 of 8 x 512 x 7 x 7 to 512 takes 5.7 ms of a Zen 5 core, not 6.9.
bool is_batch_reduce(dnnl_primitive_desc_t desc) {
  const char* name = nullptr;
  check(dnnl()->primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &name));
  return std::strncmp(name, "brg", 3) == 0;
}

bool suits_batch_reduce(ConvPass pass, const ConvShape& s) {
  constexpr int64_t least_channels = 16;  // fewer waste most of each vector
  return pass == ConvPass::forward && s.taps() > 1 && s.in / s.groups >= least_channels;
}

// What a compiled convolution depends on. The number of threads is part of it: a primitive divides its work when it is made.
struct Key {
  ConvShape shape;
  ImageLayout layout;  // the caller's
  ConvPass pass;
  int64_t with_bias, threads;
  bool operator==(const Key& other) const { return std::memcmp(this, &other, sizeof *this) == 0; }
};
static_assert(std::has_unique_object_representations_v<Key>);

std::shared_ptr<const Compiled> compile_for(const Key& key, dnnl_alg_kind_t way, Layout layout) {
  const Library& lib = *dnnl();
  const auto& [s, callers, pass, with_bias, threads] = key;
  const Layout given = callers == ImageLayout::channels_last ? Layout::channels_last : Layout::channels_first;
  const Descs wanted = descs(s, layout, true), plain = descs(s, given, false);
  dnnl_dims_t strides, dilations, pad, far;
  int i = 0;
  for (const ConvAxis& axis : axes_of(s)) {
    strides[i] = axis.stride;
    dilations[i] = axis.dilation - 1;
    pad[i] = axis.pad;
    far[i] = (axis.out() - 1) * axis.stride + axis.window() - axis.size - axis.pad;  // negative: what the last window leaves over
    ++i;
  }
  const auto create = [&](const dnnl_convolution_desc_t& op, dnnl_primitive_desc_t hint) {
    dnnl_primitive_desc_t created = nullptr;
    check(lib.primitive_desc_create(&created, &op, lib.attributes, lib.engine, hint));
    return Owned<dnnl_primitive_desc_t>(created);
  };
  dnnl_convolution_desc_t op;
  check(lib.dilated_convolution_forward_desc_init(&op, dnnl_forward_training, way, &wanted.x, &wanted.weight,
                                                  with_bias && pass == ConvPass::forward ? &plain.bias : nullptr, &wanted.y, strides,
                                                  dilations, pad, far));
  Owned<dnnl_primitive_desc_t> desc = create(op, nullptr);
  const bool turned = layout == Layout::channels_last && given != layout;
  if (turned && !is_batch_reduce(desc.get())) throw Refused();
  const auto compiled = std::make_shared<Compiled>();
  compiled->bias = plain.bias;
  compiled->x.plain = plain.x;
  compiled->weight.plain = plain.weight;
  compiled->y.plain = plain.y;
  dnnl_query_t x = dnnl_query_src_md, weight = dnnl_query_weights_md, y = dnnl_query_dst_md;
  compiled->x.argument = DNNL_ARG_SRC;
  compiled->weight.argument = DNNL_ARG_WEIGHTS;
  compiled->y.argument = DNNL_ARG_DST;
  compiled->bias_argument = DNNL_ARG_BIAS;
  switch (pass) {
    case ConvPass::forward:
      compiled->y.is_result = true;
      break;
    case ConvPass::input_grad:
      check(lib.dilated_convolution_backward_data_desc_init(&op, way, &wanted.x, &wanted.weight, &wanted.y, strides, dilations, pad, far));
      desc = create(op, desc.get());
      compiled->x.is_result = true;
      compiled->x.argument = DNNL_ARG_DIFF_SRC;
      compiled->y.argument = DNNL_ARG_DIFF_DST;
      x = dnnl_query_diff_src_md;
      y = dnnl_query_diff_dst_md;
      break;
    case ConvPass::weight_grad:
      check(lib.dilated_convolution_backward_weights_desc_init(&op, way, &wanted.x, &wanted.weight, with_bias ? &plain.bias : nullptr,
                                                               &wanted.y, strides, dilations, pad, far));
      desc = create(op, desc.get());
      compiled->weight.is_result = true;
      compiled->weight.argument = DNNL_ARG_DIFF_WEIGHTS;
      compiled->bias_argument = DNNL_ARG_DIFF_BIAS;
      compiled->y.argument = DNNL_ARG_DIFF_DST;
      weight = dnnl_query_diff_weights_md;
      y = dnnl_query_diff_dst_md;
      break;
  }
  compiled->x.turned = compiled->y.turned = turned;
  add_reorder(compiled->x, lib.primitive_desc_query_md(desc.get(), x, 0));
  add_reorder(compiled->weight, lib.primitive_desc_query_md(desc.get(), weight, 0));
  add_reorder(compiled->y, lib.primitive_desc_query_md(desc.get(), y, 0));
  compiled->scratch_desc = *lib.primitive_desc_query_md(desc.get(), dnnl_query_scratchpad_md, 0);
  compiled->scratch_bytes = lib.memory_desc_get_size(&compiled->scratch_desc);
  constexpr size_t most_scratch = size_t{256} << 20;
  if (way == dnnl_convolution_winograd && compiled->scratch_bytes > most_scratch) throw Refused();
  compiled->primitive = compile(desc.get());
  return compiled;
}

// Without a primitive where oneDNN has none, so that it isn't asked again.
std::shared_ptr<const Compiled> compile_best(const Key& key) {
  struct Way {
    bool suits;
    dnnl_alg_kind_t algorithm;
    Layout layout;
  };
  const bool last = key.layout == ImageLayout::channels_last;
  for (const Way way : {Way{suits_winograd(key.pass, key.shape), dnnl_convolution_winograd, Layout::any},
                        Way{last || suits_batch_reduce(key.pass, key.shape), dnnl_convolution_direct, Layout::channels_last},
                        Way{true, dnnl_convolution_direct, Layout::any}}) {
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
  std::list<std::pair<Key, std::shared_ptr<const Compiled>>> entries_;  // the last used first
};

Cache& cache() {
  static Cache& kept = *new Cache;  // never destroyed: the library they belong to may be gone at exit
  return kept;
}

class Execution {
 public:
  Execution() {
    dnnl_stream_t stream = nullptr;
    check(dnnl()->stream_create(&stream, dnnl()->engine, dnnl_stream_default_flags));
    stream_.reset(stream);
  }

  void run(dnnl_primitive_t primitive, std::initializer_list<dnnl_exec_arg_t> arguments, const dnnl_memory_desc_t* scratch_desc,
           size_t scratch_bytes) {
    dnnl_exec_arg_t all[6];
    int count = 0;
    for (const auto& argument : arguments)
      if (argument.memory) all[count++] = argument;
    Tensor space;
    Owned<dnnl_memory_t> space_memory;
    if (scratch_bytes != 0) {
      space = scratch(scratch_bytes);
      space_memory = memory(*scratch_desc, space.bytes());
      all[count++] = {DNNL_ARG_SCRATCHPAD, space_memory.get()};
    }
    const KeepsFromForking library_has_locks;
    const GeneratedCode theirs;
    check(dnnl()->primitive_execute(primitive, stream_.get(), count, all));
  }

  static Owned<dnnl_memory_t> memory(const dnnl_memory_desc_t& desc, void* data) {
    dnnl_memory_t created = nullptr;
    check(dnnl()->memory_create(&created, &desc, dnnl()->engine, data));
    return Owned<dnnl_memory_t>(created);
  }

 private:
  Owned<dnnl_stream_t> stream_;
};

// Images, as `plain` says.
Images images_of(const dnnl_memory_desc_t& plain) {
  int64_t points = 1;
  for (int i = 2; i < plain.ndims; ++i) points *= plain.dims[i];
  return {plain.dims[0], plain.dims[1], points, sizeof(float)};
}

// An operand's memory in the layout the primitive wants, for one execution.
struct Placed {
  Tensor space;
  Owned<dnnl_memory_t> memory;

  Placed(Execution& run, const Side& side, float* data) : side_(side), data_(data) {
    if (side.same) {
      memory = Execution::memory(side.plain, data);
      return;
    }
    space = scratch(side.bytes);
    memory = Execution::memory(side.wanted, space.bytes());
    if (!side.is_result) reorder(run, DNNL_ARG_TO, DNNL_ARG_FROM);
  }
  void bring_back(Execution& run) const {
    if (!side_.same && side_.is_result) reorder(run, DNNL_ARG_FROM, DNNL_ARG_TO);
  }

 private:
  void reorder(Execution& run, int placed_is, int plain_is) const {
    if (side_.turned) {
      const Images images = images_of(side_.plain);
      auto* const plain = reinterpret_cast<std::byte*>(data_);
      if (side_.is_result)
        lay_out(images, ImageLayout::channels_first, space.bytes(), plain);
      else
        lay_out(images, ImageLayout::channels_last, plain, space.bytes());
      return;
    }
    const auto plain = Execution::memory(side_.plain, data_);
    dnnl_memory_desc_t space_desc;
    const dnnl_dims_t size = {static_cast<int64_t>(side_.reorder_scratch)};
    check(dnnl()->memory_desc_init_by_tag(&space_desc, 1, size, dnnl_u8, dnnl_x));
    run.run(side_.reorder.get(), {{placed_is, memory.get()}, {plain_is, plain.get()}}, &space_desc, side_.reorder_scratch);
  }

  const Side& side_;
  float* const data_;
};

// How a batch is divided: parts of `images` images, whatever the number of threads, beside each other where oneDNN has one.
struct Division {
  int64_t images = 0;
  int threads = 1;  // oneDNN's own
};

// Parts whose reordered copies stay in the second-level cache, with enough to do that a call doesn't count, and for Winograd's method
// enough tiles to pay for the transformed weight. 1x1 of 8 x 256 x 56 x 56 to 64: 9.6 ms, all at once 11.0.
Division divide(ConvPass pass, const ConvShape& s, ImageLayout layout, int threads) {
  constexpr int64_t cached_bytes = int64_t{512} << 10, least_work = 4'000'000, least_tiles = 256;
  const bool as_it_is = layout == ImageLayout::channels_last && !suits_winograd(pass, s);
  if (pass == ConvPass::weight_grad || s.batch == 1 || as_it_is) return {s.batch, threads};
  const int64_t bytes = static_cast<int64_t>(sizeof(float)) * (s.in * s.image() + s.out * s.points()), work = s.work() / s.batch;
  const int64_t weight_bytes = static_cast<int64_t>(sizeof(float)) * s.out * s.patch();  // read again for each part
  int64_t images = std::max(std::max(cached_bytes, weight_bytes) / bytes, (least_work + work - 1) / work);
  if (suits_winograd(pass, s)) images = std::max(images, (least_tiles * s.batch + tiles(s) - 1) / tiles(s));
  images = std::clamp<int64_t>(images, 1, s.batch);
  while (s.batch % images != 0) ++images;
  return {images, s.batch / images % threads == 0 ? 1 : threads};
}

// Runs what was compiled for the images of one part on all of them; the weight is reordered once.
void execute(const Compiled& convolution, const ConvShape& s, const Division& division, float* x, float* weight, float* bias, float* y) {
  Execution weight_run;
  const Placed weight_placed(weight_run, convolution.weight, weight);
  const int64_t x_step = division.images * s.in * s.image(), y_step = division.images * s.out * s.points();
  const auto run_parts = [&](int64_t begin, int64_t end) {
    const OpenMpThreads theirs(division.threads);
    Execution run;
    const auto bias_memory = bias ? Execution::memory(convolution.bias, bias) : nullptr;
    for (int64_t part = begin; part < end; ++part) {
      look_for_interrupt();
      const Placed x_placed(run, convolution.x, x + part * x_step), y_placed(run, convolution.y, y + part * y_step);
      run.run(convolution.primitive.get(),
              {{convolution.x.argument, x_placed.memory.get()},
               {convolution.weight.argument, weight_placed.memory.get()},
               {convolution.bias_argument, bias_memory.get()},
               {convolution.y.argument, y_placed.memory.get()}},
              &convolution.scratch_desc, convolution.scratch_bytes);
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

bool has_dnnl() { return dnnl() != nullptr; }

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
bool dnnl_conv(ConvPass, const ConvShape&, ImageLayout, float*, float*, float*, float*) { return false; }

}  // namespace mt::cpu
#endif
