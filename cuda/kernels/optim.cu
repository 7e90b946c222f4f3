// Steps of optimisation algorithms: one launch for a list of tensors. The kernel has the list by value. Each block finds its tensor in the
// list, and updates some of its elements, with loads of 16 bytes.
#include "engine/ops/optim.h"

#include <algorithm>
#include <vector>

#include "cuda/functions.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"

namespace mt::cuda {
namespace {

#include "engine/ops/optim-inl.h"

// Runs an update on the elements of `count` arrays; those with a bit in `changed` are written.
template <class Functor> struct StepUpdate {
  static constexpr int count = Functor::arrays;
  static constexpr uint32_t changed = Functor::changed;
  double numbers[Functor::numbers];
  template <class V> MT_DEVICE void operator()(V (&at)[count]) const {
    V r[Functor::numbers];
    for (int k = 0; k < Functor::numbers; ++k) r[k] = V(numbers[k]);
    Functor()(at, r);
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
  int32_t first_block[capacity];
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
    const int64_t begin = static_cast<int64_t>(t.block() - first_block[at]) * block_elements;
    list[at].wide ? part<double>(t, list[at], begin) : part<float>(t, list[at], begin);
  }
};

template <int capacity, class Update> void launch_some(Stream stream, const Update& update, std::span<const Arrays<Update::count>> list) {
  ListKernel<Update, capacity> kernel{.update = update, .tensors = static_cast<int>(list.size()), .first_block = {}, .list = {}};
  int64_t blocks = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    kernel.first_block[i] = static_cast<int32_t>(blocks);
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

template <class Functor> void run_functor(const StepPlan& plan) {
  StepUpdate<Functor> update;
  std::copy_n(plan.numbers.begin(), Functor::numbers, update.numbers);
  std::vector<Arrays<Functor::arrays>> list;
  list.reserve(plan.parameters.size());
  int64_t before = 0;  // bytes of the states of earlier parameters
  for (const StepParameter& p : plan.parameters) {
    Arrays<Functor::arrays> arrays{{reachable(p.x), reachable(p.gradient)}, p.n, p.wide};
    for (size_t k = 0; k + 2 < Functor::arrays; ++k) {
      const bool is_whole = plan.states[k].size() == 1;
      arrays.at[2 + k] = reachable(plan.states[k].begin()[is_whole ? 0 : list.size()]) + (is_whole ? before : 0);
    }
    list.push_back(arrays);
    before += p.n * (p.wide ? 8 : 4);
  }
  launch_list(update, std::span<const Arrays<Functor::arrays>>(list));
}

template <class... Functors> void run_variant(const StepPlan& plan, List<Functors...>) {
  static constexpr void (*runs[])(const StepPlan&) = {&run_functor<Functors>...};
  runs[plan.variant](plan);
}

template <class Op> void run_step(const StepPlan& plan) { run_variant(plan, typename Op::Functors()); }

void run_unscale(const UnscalePlan& plan) {
  std::vector<Arrays<1>> list;
  for (const StepParameter& p : plan.gradients) list.push_back({{reachable(p.x)}, p.n, p.wide});
  launch_list(Scaling{plan.factor, elements<float>(plan.found)}, std::span<const Arrays<1>>(list));
}

}  // namespace

KernelRows optim_rows() {
  static constexpr KernelRow rows[] = {{SgdStep::decl.name, kernel<&run_step<SgdStep>>()},
                                       {AdamStep::decl.name, kernel<&run_step<AdamStep>>()},
                                       {AmsgradStep::decl.name, kernel<&run_step<AmsgradStep>>()},
                                       {NadamStep::decl.name, kernel<&run_step<NadamStep>>()},
                                       {RadamStep::decl.name, kernel<&run_step<RadamStep>>()},
                                       {AdamaxStep::decl.name, kernel<&run_step<AdamaxStep>>()},
                                       {RmspropStep::decl.name, kernel<&run_step<RmspropStep>>()},
                                       {AdagradStep::decl.name, kernel<&run_step<AdagradStep>>()},
                                       {AdadeltaStep::decl.name, kernel<&run_step<AdadeltaStep>>()},
                                       {LionStep::decl.name, kernel<&run_step<LionStep>>()},
                                       {AsgdStep::decl.name, kernel<&run_step<AsgdStep>>()},
                                       {RpropStep::decl.name, kernel<&run_step<RpropStep>>()},
                                       {Unscale::decl.name, kernel<&run_unscale>()},
                                       {ClipValues::decl.name, kernel<&run_step<ClipValues>>()}};
  return rows;
}

}  // namespace mt::cuda
