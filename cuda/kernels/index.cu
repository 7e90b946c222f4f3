// Kernels of engine/ops/index.h that read by an index, or write the same element to all positions: one launch each. scatter.cu has those
// that depend on the order of writes. A position outside its dimension reads the first slice.
#include "cuda/kernels/index.h"

#include <numeric>

#include "cuda/kernels/lines.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/layout.h"

namespace mt::cuda {
namespace {

// Gathers elements of x, line by line along a dimension of `size` elements with a stride of `step` bytes.
template <class W, class Index> struct GatherKernel {
  Layout<3, Index> layout;  // out, the index, the first elements of x's lines
  std::byte* out;
  const std::byte *index, *x;
  int64_t size, step;
  Index n;
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      int64_t at[3];
      layout.find(i, at);
      const int64_t position = *reinterpret_cast<const int64_t*>(index + at[1]), from = is_inside(position, size) ? position - 1 : 0;
      *reinterpret_cast<W*>(out + at[0]) = *reinterpret_cast<const W*>(x + at[2] + from * step);
    }
  }
};

// The index has the sizes of out.
void gather(const Tensor& x, const Tensor& index, const Tensor& out, int dim) {
  if (x.size(dim) == 0) return;
  Geometry g(out.sizes());
  g.add(out);
  g.add(index);
  g.add(line_starts(x, out.sizes(), dim));
  g.collapse();
  by_width(x.dtype(), [&]<class W>(W) {
    count_by_index(g.numel(), [&]<class Index>(Index n) {
      launch_each(op_stream(), g.numel(),
                  GatherKernel<W, Index>{Layout<3, Index>(g), reachable(g.data(0)), reachable(g.data(1)), reachable(g.data(2)), x.size(dim),
                                         x.stride(dim) * static_cast<int64_t>(sizeof(W)), n});
    });
  });
}

void run_gather(const GatherPlan& plan) { gather(plan.x, plan.index, plan.out, plan.dim); }

// Copies rows of `words` words: row k of each block of out becomes row index[k] of the block of x.
template <class Word, class Index> struct TakeRows {
  Word* out;
  const Word* x;
  const int64_t* index;
  int64_t size;
  Index words, rows, n;  // words of a row; rows of a block of out; words of out
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      const Index row = i / words, block = row / rows;
      const int64_t position = index[row - block * rows], from = is_inside(position, size) ? position - 1 : 0;
      out[i] = x[(static_cast<int64_t>(block) * size + from) * static_cast<int64_t>(words) + static_cast<int64_t>(i - row * words)];
    }
  }
};

// Calls f with the widest word type whose size divides all addresses and sizes.
template <class F> void by_word(uint64_t addresses_and_bytes, const F& f) {
  if (addresses_and_bytes % 16 == 0) return f(Pack<uint64_t, 2>{});
  by_width(static_cast<int>(std::gcd(addresses_and_bytes, uint64_t{8})), f);
}

void take_rows(const TakeSlicesPlan& plan) {
  const Tensor &x = plan.x, &out = plan.out;
  int64_t bytes = size_of(x.dtype());
  for (int d = plan.dim + 1; d < x.dim(); ++d) bytes *= x.size(d);
  const auto all = static_cast<uint64_t>(bytes) | reinterpret_cast<uintptr_t>(x.bytes()) | reinterpret_cast<uintptr_t>(out.bytes());
  by_word(all, [&]<class Word>(Word) {
    constexpr auto width = static_cast<int64_t>(sizeof(Word));
    const int64_t words = out.numel() * size_of(x.dtype()) / width;
    count_by_index(words, [&]<class Index>(Index n) {
      launch_each(op_stream(), words,
                  TakeRows<Word, Index>{elements<Word>(out), elements<Word>(x), elements<int64_t>(plan.index), x.size(plan.dim),
                                        static_cast<Index>(bytes / width), static_cast<Index>(plan.index.numel()), n});
    });
  });
}

void run_take_slices(const TakeSlicesPlan& plan) {
  if (plan.x.size(plan.dim) == 0) return;
  if (plan.x.is_contiguous() && plan.out.is_contiguous()) return take_rows(plan);
  gather(plan.x, steps_along(plan.index, plan.out.sizes(), plan.dim), plan.out, plan.dim);
}

template <class W, class Index> struct FillKernel {
  Layout<2, Index> layout;  // the first elements of out's lines, the index
  std::byte* out;
  const std::byte* index;
  int64_t size, step;
  W element;
  Index n;
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      int64_t at[2];
      layout.find(i, at);
      const int64_t position = *reinterpret_cast<const int64_t*>(index + at[1]);
      if (is_inside(position, size)) *reinterpret_cast<W*>(out + at[0] + (position - 1) * step) = element;
    }
  }
};

void run_fill_slices(const FillSlicesPlan& plan) {
  const Tensor& out = plan.out;
  const int dim = plan.dim;
  Shape sizes(out.sizes());
  sizes[dim] = plan.index.numel();
  Geometry g(sizes);
  g.add(line_starts(out, sizes, dim));
  g.add(steps_along(plan.index, sizes, dim));
  g.collapse();
  by_width(out.dtype(), [&]<class W>(W) {
    count_by_index(g.numel(), [&]<class Index>(Index n) {
      launch_each(op_stream(), g.numel(),
                  FillKernel<W, Index>{Layout<2, Index>(g), reachable(g.data(0)), reachable(g.data(1)), out.size(dim),
                                       out.stride(dim) * static_cast<int64_t>(sizeof(W)), plan.element.as<W>(), n});
    });
  });
}

}  // namespace

KernelRows index_rows() {
  static constexpr KernelRow rows[] = {{"index", kernel<&run_take_slices>()}, {"take", kernel<&run_take_slices>()},
                                       {"gather", kernel<&run_gather>()},     {"indexFill", kernel<&run_fill_slices>()},
                                       {"indexAdd", kernel<&put_slices>()},   {"indexCopy", kernel<&put_slices>()},
                                       {"index_grad", kernel<&put_slices>()}, {"scatter", kernel<&scatter>()},
                                       {"scatterAdd", kernel<&scatter>()},    {"gather_grad", kernel<&scatter>()}};
  return rows;
}

}  // namespace mt::cuda
