// Steps of optimisation algorithms: one launch for a list of tensors. The kernel has the list by value. Each block finds its tensor in the
// list, and updates some of its elements, with loads of 16 bytes.
#include "engine/ops/optim.h"

#include <vector>

#include "cuda/functions.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"

namespace mt::cuda {
namespace {

#include "engine/ops/optim-inl.h"

// Runs an update on the elements of `count` arrays; those with a bit in `changed` are written.
struct PlainSgd {
  static constexpr int count = 2;
  static constexpr uint32_t changed = 0b01;
  SgdRates rates;
  template <class V> MT_DEVICE void operator()(V (&at)[count]) const { SgdStep()(at[0], at[1], V(rates.rate), V(rates.weight_decay)); }
};

struct MomentumSgd {
  static constexpr int count = 3;
  static constexpr uint32_t changed = 0b101;
  SgdRates rates;
  template <class V> MT_DEVICE void operator()(V (&at)[count]) const {
    SgdStep()(at[0], at[1], at[2], V(rates.rate), V(rates.momentum), V(1 - rates.dampening), V(rates.weight_decay), rates.nesterov);
  }
};

struct Adam {
  static constexpr int count = 4;
  static constexpr uint32_t changed = 0b1101;
  AdamRates rates;
  template <class V> MT_DEVICE void operator()(V (&at)[count]) const {
    AdamStep()(at[0], at[1], at[2], at[3], V(rates.rate), V(rates.beta1), V(1 - rates.beta1), V(rates.beta2), V(1 - rates.beta2),
               V(rates.epsilon), V(rates.weight_decay));
  }
};

struct Scaling {
  static constexpr int count = 1;
  static constexpr uint32_t changed = 0b1;
  double factor;
  float* found;
  template <class V> MT_DEVICE void operator()(V (&at)[count]) const {
    V seen(0);
    Unscale()(at[0], seen, V(factor));
    if (any(seen != seen)) *found = 1;  // all threads write the same value
  }
};

template <int count> struct Arrays {
  std::byte* at[count];
  int64_t n;
  bool wide;  // float64
};

constexpr int64_t block_elements = 4096;

template <class Update, int capacity> struct ListKernel {
  Update update;
  int tensors;
  int64_t first_block[capacity];
  Arrays<Update::count> list[capacity];

  template <class C, int width> MT_DEVICE void step(const Arrays<Update::count>& arrays, int64_t i) const {
    Pack<C, width> packs[Update::count];
    for (int k = 0; k < Update::count; ++k) packs[k] = load_pack<width>(reinterpret_cast<const C*>(arrays.at[k]) + i);
    for (int j = 0; j < width; ++j) {
      Value<C> elements[Update::count];
      for (int k = 0; k < Update::count; ++k) elements[k] = Value<C>(packs[k].at[j]);
      update(elements);
      for (int k = 0; k < Update::count; ++k) packs[k].at[j] = elements[k].v;
    }
    for (int k = 0; k < Update::count; ++k) {
      if ((Update::changed >> k & 1) != 0) store_pack(reinterpret_cast<C*>(arrays.at[k]) + i, packs[k]);
    }
  }

  template <class C> MT_DEVICE void part(Thread& t, const Arrays<Update::count>& arrays, int64_t begin) const {
    constexpr int width = pack_size<C>;
    const int64_t rest = arrays.n - begin, n = rest < block_elements ? rest : block_elements;
    bool packed = true;
    for (int k = 0; k < Update::count; ++k) packed = packed && is_pack_aligned<width>(reinterpret_cast<const C*>(arrays.at[k]));
    const int64_t packs = packed ? n / width : 0;
    for (int64_t i = t.index(); i < packs; i += t.threads()) step<C, width>(arrays, begin + i * width);
    for (int64_t i = packs * width + t.index(); i < n; i += t.threads()) step<C, 1>(arrays, begin + i);
  }

  MT_DEVICE void operator()(Thread& t) const {
    int at = 0;
    for (int end = tensors; end - at > 1;) {  // find the last tensor that begins at or before this block
      const int middle = (at + end) / 2;
      (first_block[middle] <= t.block() ? at : end) = middle;
    }
    const int64_t begin = (t.block() - first_block[at]) * block_elements;
    list[at].wide ? part<double>(t, list[at], begin) : part<float>(t, list[at], begin);
  }
};

template <int capacity, class Update> void launch_some(Stream stream, const Update& update, std::span<const Arrays<Update::count>> list) {
  ListKernel<Update, capacity> kernel{.update = update, .tensors = static_cast<int>(list.size()), .first_block = {}, .list = {}};
  int64_t blocks = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    kernel.first_block[i] = blocks;
    kernel.list[i] = list[i];
    blocks += (list[i].n + block_elements - 1) / block_elements;
  }
  launch(stream, blocks, block_threads, 0, kernel);
}

// Short lists use a smaller kernel, because its arguments are copied at each launch; lists of more than 512 tensors need several launches.
template <class Update> void launch_list(const Update& update, std::span<const Arrays<Update::count>> list) {
  constexpr size_t few = 48, most = 512;
  const Stream stream = op_stream();
  if (list.size() <= few) return launch_some<few>(stream, update, list);
  for (; !list.empty(); list = list.subspan(std::min(most, list.size()))) {
    launch_some<most>(stream, update, list.first(std::min(most, list.size())));
  }
}

std::byte* address(const Tensor& t) { return reachable(t.bytes()); }
bool is_wide(const Tensor& t) { return t.dtype() == DType::float64; }

void run_sgd(const SgdPlan& plan) {
  if (plan.rates.momentum == 0) {
    std::vector<Arrays<2>> list;
    for (const SgdTensors& t : plan.parameters) list.push_back({{address(t.x), address(t.gradient)}, t.x.numel(), is_wide(t.x)});
    return launch_list(PlainSgd{plan.rates}, std::span<const Arrays<2>>(list));
  }
  std::vector<Arrays<3>> list;
  for (const SgdTensors& t : plan.parameters) {
    list.push_back({{address(t.x), address(t.gradient), address(t.buffer)}, t.x.numel(), is_wide(t.x)});
  }
  launch_list(MomentumSgd{plan.rates}, std::span<const Arrays<3>>(list));
}

void run_adam(const AdamPlan& plan) {
  std::vector<Arrays<4>> list;
  for (const AdamTensors& t : plan.parameters) {
    list.push_back({{address(t.x), address(t.gradient), address(t.mean), address(t.square)}, t.x.numel(), is_wide(t.x)});
  }
  launch_list(Adam{plan.rates}, std::span<const Arrays<4>>(list));
}

void run_unscale(const UnscalePlan& plan) {
  std::vector<Arrays<1>> list;
  for (const Tensor& gradient : plan.gradients) list.push_back({{address(gradient)}, gradient.numel(), is_wide(gradient)});
  launch_list(Scaling{plan.factor, elements<float>(plan.found)}, std::span<const Arrays<1>>(list));
}

}  // namespace

KernelRows optim_rows() {
  static constexpr KernelRow rows[] = {
      {SgdStep::decl.name, kernel<&run_sgd>()}, {AdamStep::decl.name, kernel<&run_adam>()}, {Unscale::decl.name, kernel<&run_unscale>()}};
  return rows;
}

}  // namespace mt::cuda
