// The CPU's kernels of engine/ops/index.h. Contiguous slices are copied as a whole. Threads divide the writes by their position in the
// result, and each processes the indices in order, so that duplicates give the same result for any number of threads.
#include "engine/ops/index.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/wrapping.h"
#include "engine/cpu/add_elements.h"
#include "engine/cpu/copy.h"
#include "engine/cpu/iterate.h"
#include "engine/cpu/product.h"
#include "engine/cpu/register.h"
#include "engine/ops/accumulate.h"
#include "engine/ops/view.h"

namespace mt::cpu {
namespace {

#include "engine/ops/index-inl.h"

Tensor slice(const Tensor& t, int dim, int64_t at) { return narrowed(t, dim, at, 1); }

// A contiguous tensor of outer x size x inner elements.
struct Blocks {
  int64_t outer = 1, size, inner = 1;
  Blocks(const Tensor& t, int dim) : size(t.size(dim)) {
    for (int d = 0; d < dim; ++d) outer = wrapping_product(outer, t.size(d));
    for (int d = dim + 1; d < t.dim(); ++d) inner = wrapping_product(inner, t.size(d));
  }
};

// Slices of an index that follow one another in the tensor, too: from k on, those from `first` on.
struct Run {
  int64_t k, first, count;
};

// The runs of an index that is read for many outer positions, such as those of a border along the rows of images; none if they are short.
std::vector<Run> runs_of(const Tensor& index, int64_t outer) {
  constexpr int64_t many = 64, least_mean = 4;
  std::vector<Run> runs;
  const auto* p = index.data<int64_t>();
  for (int64_t k = 0; outer >= many && k < index.numel(); ++k) {
    const int64_t at = p[k] - 1;
    if (!runs.empty() && at == runs.back().first + runs.back().count) {
      ++runs.back().count;
      continue;
    }
    if (static_cast<int64_t>(runs.size() + 1) * least_mean > index.numel()) return {};
    runs.push_back({k, at, 1});
  }
  return runs;
}

// Calls f(outer, run) for every outer position and every run, in order.
template <class F> void each_run(const std::vector<Run>& runs, int64_t outer, int64_t work, F&& f) {
  parallel_for(outer, std::max<int64_t>(1, pointwise_grain / std::max<int64_t>(1, work)), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      for (const Run& run : runs) f(o, run);
    }
  });
}

template <class W> void take_elements(W* to, const W* from, const int64_t* positions, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[positions[i] - 1];
}

// Copies slices of `inner` elements from the given positions.
template <class W> void take_slices(W* to, const W* from, const int64_t* positions, int64_t count, int64_t inner) {
  if (inner == 1) return take_elements(to, from, positions, count);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * inner, from + (positions[i] - 1) * inner, static_cast<size_t>(inner) * sizeof(W));
}

void run_take_slices(const TakeSlicesPlan& plan) {
  const Tensor &x = plan.x, &out = plan.out;
  const auto* p = plan.index.data<int64_t>();
  const int64_t n = plan.index.numel();
  if (!x.is_contiguous() || !out.is_contiguous()) {
    for (int64_t k = 0; k < n; ++k) cpu::copy(slice(out, plan.dim, k), slice(x, plan.dim, p[k] - 1));
    return;
  }
  const Blocks from(x, plan.dim);
  by_width(x.dtype(), [&]<class W>(W) {
    const W* source = x.data<W>();
    W* to = out.data<W>();
    if (from.outer == 1 && from.inner == 1) {
      parallel_for(n, pointwise_grain, [&](int64_t begin, int64_t end) { take_elements(to + begin, source, p + begin, end - begin); });
      return;
    }
    if (const std::vector<Run> runs = runs_of(plan.index, from.outer); !runs.empty()) {
      return each_run(runs, from.outer, n * from.inner, [&](int64_t o, const Run& run) {
        std::memcpy(to + (o * n + run.k) * from.inner, source + (o * from.size + run.first) * from.inner,
                    static_cast<size_t>(run.count * from.inner) * sizeof(W));
      });
    }
    parallel_for(from.outer * n, std::max<int64_t>(1, pointwise_grain / from.inner), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end;) {
        const int64_t k = i % n, count = std::min(n - k, end - i);
        take_slices(to + i * from.inner, source + i / n * from.size * from.inner, p + k, count, from.inner);
        i += count;
      }
    });
  });
}

// Calls f(outer, to, from) for every outer index and every slice `from` of a source, which belongs to slice `to`. Calls for one slice `to`
// are in order.
template <class F> void each_slice(const Blocks& to, const Tensor& positions, F&& f) {
  const auto* index = positions.data<int64_t>();
  const int64_t n = positions.numel(), work = std::max<int64_t>(1, n * to.inner);
  if (to.outer > 1) {
    parallel_for(to.outer, std::max<int64_t>(1, pointwise_grain / work), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        for (int64_t k = 0; k < n; ++k) f(o, index[k] - 1, k);
      }
    });
  } else {
    const int64_t grain = work <= pointwise_grain ? to.size : std::max<int64_t>(1, to.size / (work / pointwise_grain));
    parallel_ranges(to.size, grain, [&](int64_t begin, int64_t end) {  // each thread reads the complete index
      for (int64_t k = 0; k < n; ++k) {
        if (k % 4096 == 0) look_for_interrupt();
        if (index[k] > begin && index[k] <= end) f(0, index[k] - 1, k);
      }
    });
  }
}

// a + b; integers wrap.
template <class T> T added(T a, T b) { return static_cast<T>(to_work(a) + to_work(b)); }

template <class T> void add_run(std::byte* const* p, const int64_t* strides, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T& to = *reinterpret_cast<T*>(p[0] + i * strides[0]);
    to = added(to, *reinterpret_cast<const T*>(p[1] + i * strides[1]));
  }
}

// Adds x to out, which has the same sizes.
template <class T> void add_strided(const Tensor& out, const Tensor& x) {
  Geometry it(out.sizes());
  it.add(out);
  it.add(x);
  it.collapse();
  parallel_iterate(it, [](std::byte** q, const int64_t* strides, int64_t count) { add_run<T>(q, strides, count); });
}

template <class T> void add_row(T* sums, const T* terms, int64_t n) {
  constexpr int64_t least_in_vectors = 32;  // below, the call of the vector code costs more
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (n >= least_in_vectors) return add_elements(sums, terms, n);
  }
  for (int64_t i = 0; i < n; ++i) sums[i] = added(sums[i], terms[i]);
}

template <class T> void add_slices(const PutSlicesPlan& plan, const Blocks& to) {
  T* sums = plan.out.data<T>();
  const T* terms = plan.source.data<T>();
  const int64_t n = plan.index.numel();
  if (const std::vector<Run> runs = runs_of(plan.index, to.outer); !runs.empty()) {
    return each_run(runs, to.outer, n * to.inner, [&](int64_t o, const Run& run) {
      add_row(sums + (o * to.size + run.first) * to.inner, terms + (o * n + run.k) * to.inner, run.count * to.inner);
    });
  }
  each_slice(to, plan.index, [&](int64_t o, int64_t at, int64_t k) {
    add_row(sums + (o * to.size + at) * to.inner, terms + (o * n + k) * to.inner, to.inner);
  });
}

void replace_slices(const PutSlicesPlan& plan, const Blocks& to) {
  const auto bytes = static_cast<size_t>(to.inner * size_of(plan.out.dtype()));
  const int64_t n = plan.index.numel();
  each_slice(to, plan.index, [&, out = plan.out.bytes(), source = plan.source.bytes()](int64_t o, int64_t at, int64_t k) {
    std::memcpy(out + static_cast<size_t>(o * to.size + at) * bytes, source + static_cast<size_t>(o * n + k) * bytes, bytes);
  });
}

void run_put_slices(const PutSlicesPlan& plan) {
  const bool add = plan.write == Write::add;
  if (plan.out.is_contiguous() && plan.source.is_contiguous()) {
    const Blocks to(plan.out, plan.dim);
    if (!add) return replace_slices(plan, to);
    return dispatch<arithmetic_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) { add_slices<T>(plan, to); });
  }
  const auto* p = plan.index.data<int64_t>();
  for (int64_t k = 0; k < plan.index.numel(); ++k) {
    const Tensor to = slice(plan.out, plan.dim, p[k] - 1), from = slice(plan.source, plan.dim, k);
    if (add)
      dispatch<arithmetic_dtypes>(to.dtype(), [&]<class T>(std::type_identity<T>) { add_strided<T>(to, from); });
    else
      cpu::copy(to, from);
  }
}

void run_fill_slices(const FillSlicesPlan& plan) {
  if (plan.out.is_contiguous()) {
    const Blocks to(plan.out, plan.dim);
    by_width(plan.out.dtype(), [&]<class W>(W) {
      const W element = plan.element.as<W>();
      W* const out = plan.out.data<W>();
      each_slice(to, plan.index,
                 [&](int64_t o, int64_t at, int64_t) { std::fill_n(out + (o * to.size + at) * to.inner, to.inner, element); });
    });
    return;
  }
  const auto* p = plan.index.data<int64_t>();
  for (int64_t k = 0; k < plan.index.numel(); ++k) cpu::fill(slice(plan.out, plan.dim, p[k] - 1), plan.element);
}

// t with index's sizes and stride 0 along dim, so that a position along dim can be added to each address.
Tensor lines(const Tensor& t, const Tensor& index, int dim) {
  Shape strides(t.strides());
  strides[dim] = 0;
  Tensor view = t;
  view.set_geometry(t.offset(), index.sizes(), strides);
  return view;
}

void run_gather(const GatherPlan& plan) {
  by_width(plan.x.dtype(), [&]<class W>(W) {
    Geometry it(plan.index.sizes());
    it.add(plan.out);
    it.add(plan.index);
    it.add(lines(plan.x, plan.index, plan.dim));
    it.collapse();
    const int64_t step = plan.x.stride(plan.dim) * static_cast<int64_t>(sizeof(W));
    parallel_iterate(it, [step](std::byte** p, const int64_t* strides, int64_t n) {
      std::byte *to = p[0], *index = p[1], *line = p[2] - step;  // a position counts from 1
      for (int64_t i = 0; i < n; ++i, to += strides[0], index += strides[1], line += strides[2])
        *reinterpret_cast<W*>(to) = *reinterpret_cast<const W*>(line + *reinterpret_cast<const int64_t*>(index) * step);
    });
  });
}

// Calls write(to, from) for every element of index, in row-major order within a line along dim; threads divide the lines.
template <class T, class F> void scatter_lines(const ScatterPlan& plan, const F& write) {
  const Tensor& index = plan.index;
  const int dim = plan.dim;
  int widest = dim == 0 && index.dim() > 1 ? 1 : 0;
  for (int d = 0; d < index.dim(); ++d) {
    if (d != dim && index.size(d) > index.size(widest)) widest = d;
  }
  const int64_t step = plan.out.stride(dim) * static_cast<int64_t>(sizeof(T));
  const auto run = [&](const Tensor& to, const Tensor& at, const Tensor& from) {
    Geometry it(at.sizes());
    it.add(to);
    it.add(at);
    it.add(from);
    it.collapse(true);
    iterate(it, 0, it.numel(), [=](std::byte** p, const int64_t* strides, int64_t n) {
      std::byte *line = p[0] - step, *index = p[1], *from = p[2];  // a position counts from 1
      for (int64_t i = 0; i < n; ++i, line += strides[0], index += strides[1], from += strides[2])
        write(*reinterpret_cast<T*>(line + *reinterpret_cast<const int64_t*>(index) * step), *reinterpret_cast<const T*>(from));
    });
  };
  const Tensor to = lines(plan.out, index, dim);
  if (widest == dim) {
    run(to, index, plan.source);
    return;
  }
  const int64_t rows = index.size(widest);
  parallel_for(rows, std::max<int64_t>(1, pointwise_grain * rows / index.numel()), [&](int64_t begin, int64_t end) {
    const auto part = [&](const Tensor& t) { return narrowed(t, widest, begin, end - begin); };
    run(part(to), part(index), part(plan.source));
  });
}

void run_scatter(const ScatterPlan& plan) {
  if (plan.write == Write::replace)
    return by_width(plan.out.dtype(), [&]<class W>(W) { scatter_lines<W>(plan, [](W& to, W from) { to = from; }); });
  dispatch<arithmetic_dtypes>(plan.out.dtype(),
                              [&]<class T>(std::type_identity<T>) { scatter_lines<T>(plan, [](T& to, T from) { to = added(to, from); }); });
}

constexpr Row rows[] = {{&Index::decl, &plan_index, kernel<&run_take_slices>()},
                        {&IndexAdd::decl, &plan_index_add, kernel<&run_put_slices>()},
                        {&IndexGrad::decl, &plan_index_grad, kernel<&run_put_slices>(), &accumulate_index_grad},
                        {&IndexCopy::decl, &plan_index_copy, kernel<&run_put_slices>()},
                        {&IndexFill::decl, &plan_index_fill, kernel<&run_fill_slices>()},
                        {&Gather::decl, &plan_gather, kernel<&run_gather>()},
                        {&GatherGrad::decl, &plan_gather_grad, kernel<&run_scatter>(), &accumulate_gather_grad},
                        {&Scatter::decl, &plan_scatter, kernel<&run_scatter>()},
                        {&ScatterAdd::decl, &plan_scatter_add, kernel<&run_scatter>()},
                        {&Take::decl, &plan_take, kernel<&run_take_slices>()}};

}  // namespace

std::span<const Row> index_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
