// Converts elementwise functors (engine/ops/*-inl.h) to kernels, two per dtype: one for contiguous operands, with loads of 16 bytes, and
// one for any layout. Both need one launch.
#pragma once

#include <span>
#include <utility>

#include "cuda/complex_value.h"
#include "cuda/element.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/layout.h"
#include "engine/ops/pointwise.h"

namespace mt::cuda {

template <class Op> inline constexpr int operand_count = Op::decl.signature.count;

// The type of an op's results for elements of type T.
template <class Op, class T> struct ResultOf { using Type = std::conditional_t<Op::decl.result == Rule::mask, uint8_t, T>; };
template <class Op, class T>
requires(Op::decl.result == Rule::real) struct ResultOf<Op, Complex<T>> {
  using Type = T;
};

// The result of a functor for operands of type T, converted to an element of the output.
template <class Op, class T, size_t... I> MT_DEVICE auto apply(const Compute<T>* operands, std::index_sequence<I...>) {
  if constexpr (is_complex<T> && Op::decl.result == Rule::real)
    return Op()(Value<T>(operands[I])...).v;
  else
    return element_of<Op, T>(operands[I]...);
}

// n contiguous elements in all operands except those in the bit set `scalars`, which are single values.
template <class Op, class T> struct ContiguousKernel {
  static constexpr int count = operand_count<Op>;
  using Out = typename ResultOf<Op, T>::Type;
  static constexpr int width = pack_size<T>;
  Out* out;
  const T* in[count];
  Compute<T> values[count];
  uint32_t scalars;
  bool packed;
  int64_t n;

  MT_DEVICE void operator()(Thread& t) const {
    const int64_t packs = packed ? n / width : 0;
    for (int64_t i = t.global_index(); i < packs; i += t.global_threads()) {
      Pack<T, width> from[count];
      for (int k = 0; k < count; ++k) {
        if ((scalars >> k & 1) == 0) from[k] = load_pack<width>(in[k] + i * width);
      }
      Pack<Out, width> to;
      for (int j = 0; j < width; ++j) {
        Compute<T> operands[count];
        for (int k = 0; k < count; ++k) operands[k] = (scalars >> k & 1) != 0 ? values[k] : widen(from[k].at[j]);
        to.at[j] = apply<Op, T>(operands, std::make_index_sequence<count>());
      }
      store_pack(out + i * width, to);
    }
    for (int64_t i = packs * width + t.global_index(); i < n; i += t.global_threads()) {
      Compute<T> operands[count];
      for (int k = 0; k < count; ++k) operands[k] = (scalars >> k & 1) != 0 ? values[k] : widen(in[k][i]);
      out[i] = apply<Op, T>(operands, std::make_index_sequence<count>());
    }
  }
};

template <class Op, class T, class Index> struct StridedKernel {
  static constexpr int count = operand_count<Op>;
  using Out = typename ResultOf<Op, T>::Type;
  Layout<count + 1, Index> layout;
  std::byte* out;
  const std::byte* in[count];
  Compute<T> values[count];
  uint32_t scalars;
  Index n;

  MT_DEVICE void at(Index i) const {
    int64_t offsets[count + 1];
    layout.find(i, offsets);
    Compute<T> operands[count];
    for (int k = 0; k < count; ++k)
      operands[k] = (scalars >> k & 1) != 0 ? values[k] : widen(*reinterpret_cast<const T*>(in[k] + offsets[k + 1]));
    *reinterpret_cast<Out*>(out + offsets[0]) = apply<Op, T>(operands, std::make_index_sequence<count>());
  }
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) at(i);
  }
};

template <class T> Compute<T> scalar_of(const ScalarValue& value) { return value.as<Compute<T>>(); }

template <class Op, class T> void launch_contiguous(Stream stream, const PointwisePlan& plan) {
  using K = ContiguousKernel<Op, T>;
  K kernel{};
  kernel.out = reachable<typename K::Out>(plan.pointers[0]);
  kernel.scalars = plan.scalars;
  kernel.n = plan.n;
  kernel.packed = is_pack_aligned<K::width>(kernel.out);
  for (int k = 0; k < K::count; ++k) {
    if ((plan.scalars >> k & 1) != 0) {
      kernel.values[k] = scalar_of<T>(plan.values[k]);
    } else {
      kernel.in[k] = reachable<T>(plan.pointers[k + 1]);
      kernel.packed = kernel.packed && is_pack_aligned<K::width>(kernel.in[k]);
    }
  }
  launch_each(stream, kernel.packed ? plan.n / K::width + plan.n % K::width : plan.n, kernel);
}

// Computes the elements of a strided kernel sequentially, in one thread.
template <class K> struct InOrder {
  K kernel;
  MT_DEVICE void operator()(Thread& t) const {
    if (t.global_index() != 0) return;
    for (auto i = kernel.n - kernel.n; i < kernel.n; ++i) kernel.at(i);
  }
};

template <class Op, class T, class Index> void launch_strided(Stream stream, const PointwisePlan& plan) {
  using K = StridedKernel<Op, T, Index>;
  const Geometry& g = plan.geometry;
  K kernel{.layout = Layout<K::count + 1, Index>(g),
           .out = reachable(g.data(0)),
           .in = {},
           .values = {},
           .scalars = plan.scalars,
           .n = static_cast<Index>(g.numel())};
  for (int k = 0; k < K::count; ++k) {
    if ((plan.scalars >> k & 1) != 0)
      kernel.values[k] = scalar_of<T>(plan.values[k]);
    else
      kernel.in[k] = reachable(g.data(k + 1));
  }
  // One thread writes a result that overlaps itself, in order.
  if (plan.in_order)
    launch(stream, 1, warp_size, 0, InOrder<K>{kernel});
  else
    launch_each(stream, g.numel(), kernel);
}

template <class Op> void run_pointwise(const PointwisePlan& plan) {
  const Stream stream = op_stream();
  if (storage_dtypes.contains(plan.dtype)) {
    fail<Status::dtype>(Op::decl.name, Op::decl.signature.params[0].name, plan.dtype, ", expected a type with arithmetic: x:to('",
                        info(arithmetic_dtype(plan.dtype)).name, "') converts it, as the device has no kernel for types for storage");
  }
  dispatch<computed_dtypes(Op::decl) & arithmetic_dtypes>(plan.dtype, [&]<class T>(std::type_identity<T>) {
    if (!plan.geometry)
      launch_contiguous<Op, T>(stream, plan);
    else if (plan.n < least_wide)
      launch_strided<Op, T, uint32_t>(stream, plan);
    else
      launch_strided<Op, T, int64_t>(stream, plan);
  });
}

template <class... Op> KernelRows rows_of(List<Op...>) {
  static constexpr KernelRow rows[] = {{Op::decl.name, kernel<&run_pointwise<Op>>()}...};
  return rows;
}

}  // namespace mt::cuda
