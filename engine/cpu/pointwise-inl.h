// Turns elementwise functors into loops over contiguous runs, one per dtype of computation. Included once for each CPU instruction set: no
// include guard. The shared part of all loops, rows and buffers, is compiled separately (engine/cpu/pointwise_rows.cpp): as a part of each
// loop it was half of the code, and of the compile time.

#include "engine/core/built.h"
#include "engine/cpu/complex-inl.h"
#include "engine/cpu/pointwise_loops.h"
#include "engine/cpu/pointwise_rows.h"
#include "engine/cpu/streaming-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

template <class Op> constexpr uint32_t number_params() {
  uint32_t mask = 0;
  for (int i = 0; i < Op::decl.signature.count; ++i) mask |= Op::decl.signature.params[i].takes(kind_tensor) ? 0u : 1u << i;
  return mask;
}

// The type of a functor's values for vectors of elements of type C: float, double, or complex numbers of these.
template <class C> struct VectorFor { using type = Simd<C>; };
template <class T> struct VectorFor<Complex<T>> { using type = SimdComplex<T>; };
template <class C> using Vector = typename VectorFor<C>::type;
template <class C> inline constexpr bool computes_in_vectors = std::is_floating_point_v<C> || is_complex<C>;

// The type of the results of a functor for elements of type C.
template <class Op, class C> struct OutOf { using type = std::conditional_t<Op::decl.result == Rule::mask, uint8_t, C>; };
template <class Op, class T>
requires(Op::decl.result == Rule::real) struct OutOf<Op, Complex<T>> {
  using type = T;
};

// Memory of one operand, or of results, as vectors.
template <class T> MT_FN Simd<T> load_vector(const T* p) { return Simd<T>(hn::LoadU(typename Simd<T>::D(), p)); }
template <class M, class D, class T> MT_FN Simd<T> load_first_of(M rest, D d, const T* p) { return Simd<T>(load_first(rest, d, p)); }
template <class D, class T> MT_FN bool can_stream_to(D d, T* out) { return can_stream(d, out); }
template <class T> MT_FN void store_vector(Simd<T> v, T* p, bool streamed) {
  const typename Simd<T>::D d;
  if (streamed)
    hn::Stream(v.v, d, p);
  else
    hn::StoreU(v.v, d, p);
}
template <class M, class D, class T> MT_FN void store_first_of(Simd<T> v, M rest, D d, T* p) { store_first(v.v, rest, d, p); }

template <class C, bool is_scalar> MT_FN Vector<C> load(const Vector<C>& constant, const C* p, int64_t i) {
  if constexpr (is_scalar)
    return constant;
  else
    return load_vector(p + i);
}

// n contiguous elements of float, double or complex numbers; operands in Scalars are one value each. Streaming stores: the branch costs
// little compared with the stores, and a separate loop would double the code.
template <class Op, class C, class Out, uint32_t scalars, size_t... I>
void vector_run(Out* out, const C* const* in, int64_t n, bool streams, std::index_sequence<I...>) {
  using V = Vector<C>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const C* const p[] = {in[I]...};  // in registers: otherwise a store might alias the pointers in `in`
  const V constants[] = {V((scalars >> I & 1) != 0 ? *p[I] : C(0))...};
  const bool streamed = streams && can_stream_to(d, out);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store_vector(Op()(load<C, (scalars >> I & 1) != 0>(constants[I], p[I], i)...), out + i, streamed);
  if (i < n) {
    const auto rest = hn::FirstN(d, static_cast<size_t>(n - i));
    const V operands[] = {(scalars >> I & 1) != 0 ? constants[I] : load_first_of(rest, d, in[I] + i)...};
    store_first_of(Op()(operands[I]...), rest, d, out + i);
  }
}

// n contiguous elements of any type, one at a time: the compiler vectorises what it can.
template <class Op, class C, class Out, uint32_t scalars, size_t... I>
void element_run(Out* out, const C* const* in, int64_t n, std::index_sequence<I...>) {
  const C* const p[] = {in[I]...};
  const C constants[] = {((scalars >> I & 1) != 0 ? *in[I] : C())...};
  for (int64_t i = 0; i < n; ++i) {
    const auto r = Op()(Scalar<C>((scalars >> I & 1) != 0 ? constants[I] : p[I][i])...);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(r)>, BitMask>)
      out[i] = static_cast<Out>(r.b);
    else
      out[i] = r.v;
  }
}

// Combines masks to a vector of bytes of 0 and 1: vector(i) returns the mask from element i on.
template <class C, class B, class F> HWY_INLINE hn::Vec<B> mask_bytes(B bytes, int64_t i, const F& vector) {
  const typename Vector<C>::D d;
  if constexpr (hn::MaxLanes(bytes) == hn::MaxLanes(d)) {
    const hn::RebindToUnsigned<decltype(d)> words;
    return hn::TruncateTo(bytes, hn::IfThenElseZero(hn::RebindMask(words, vector(i)), hn::Set(words, 1)));
  } else {
    const hn::Half<B> half;
    return hn::Combine(bytes, mask_bytes<C>(half, i + static_cast<int64_t>(hn::Lanes(half)), vector), mask_bytes<C>(half, i, vector));
  }
}

// Compares n contiguous elements of float, double or complex numbers.
template <class Op, class C, uint32_t scalars, size_t... I>
void mask_run(uint8_t* out, const C* const* in, int64_t n, bool streams, std::index_sequence<I...> indices) {
  using V = Vector<C>;
  const hn::ScalableTag<uint8_t> bytes;
  const auto lanes = static_cast<int64_t>(hn::Lanes(bytes));
  const C* const p[] = {in[I]...};
  const V constants[] = {V((scalars >> I & 1) != 0 ? *p[I] : C(0))...};
  const auto vector = [&](int64_t i) HWY_ATTR { return Op()(load<C, (scalars >> I & 1) != 0>(constants[I], p[I], i)...).m; };
  const bool streamed = streams && can_stream(bytes, out);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    if (streamed)
      hn::Stream(mask_bytes<C>(bytes, i, vector), bytes, out + i);
    else
      hn::StoreU(mask_bytes<C>(bytes, i, vector), bytes, out + i);
  }
  const C* const rest[] = {in[I] + ((scalars >> I & 1) != 0 ? 0 : i)...};
  element_run<Op, C, uint8_t, scalars>(out + i, rest, n - i, indices);
}

template <class Op, class C, class Out, uint32_t scalars>
void contiguous_run(void* to, const void* const* operands, int64_t n, bool streams) {
  constexpr int count = Op::decl.signature.count;
  constexpr auto indices = std::make_index_sequence<static_cast<size_t>(count)>();
  Out* const out = static_cast<Out*>(to);
  const C* in[count];
  for (int k = 0; k < count; ++k) in[k] = static_cast<const C*>(operands[k]);
  if constexpr (!computes_in_vectors<C>)
    element_run<Op, C, Out, scalars>(out, in, n, indices);
  else if constexpr (Op::decl.result == Rule::mask)
    mask_run<Op, C, scalars>(out, in, n, streams, indices);
  else
    vector_run<Op, C, Out, scalars>(out, in, n, streams, indices);
}

template <class Op, class T, uint32_t scalars> constexpr cpu::RunTypes run_types() {
  constexpr bool mask = Op::decl.result == Rule::mask;
  return {.count = static_cast<uint8_t>(Op::decl.signature.count),
          .dtype = dtype_of<T>,
          .scalars = static_cast<uint16_t>(scalars),
          .element = sizeof(T),
          .stored = mask ? 1 : sizeof(typename OutOf<Op, T>::type),
          .buffered = !std::is_same_v<Compute<T>, T>,
          .mask = mask};
}

template <class Op, class T, uint32_t scalars> void run_loop(std::byte* const* pointers, const Rows& rows, uint32_t given) {
  using C = Compute<T>;
  cpu::run_rows(pointers, rows, &contiguous_run<Op, C, typename OutOf<Op, C>::type, scalars>, run_types<Op, T, scalars>(), given);
}

// Chooses the compiled combination of number and tensor operands, of those that the signature allows. A tensor that is broadcast along the
// loop serves as a number if the argument may be either.
template <class Op, class T, int param = 0, uint32_t scalars = number_params<Op>()>
void choose_loop(std::byte* const* pointers, const Rows& rows, uint32_t given) {
  if constexpr (param == Op::decl.signature.count) {
    run_loop<Op, T, scalars>(pointers, rows, given);
  } else if constexpr (Op::decl.signature.params[param].takes(kind_tensor) && Op::decl.signature.params[param].takes(kind_number)) {
    const bool one_value = rows.strides[param + 1] == 0 && (rows.next[param + 1] == 0 || !run_types<Op, T, scalars>().joins(rows));
    const bool broadcast = std::is_same_v<Compute<T>, T> && one_value;
    if ((given >> param & 1) != 0 || broadcast)
      choose_loop<Op, T, param + 1, scalars | 1u << param>(pointers, rows, given);
    else
      choose_loop<Op, T, param + 1, scalars>(pointers, rows, given);
  } else {
    choose_loop<Op, T, param + 1, scalars>(pointers, rows, given);
  }
}

template <class Op> inline constexpr cpu::PointwiseLoops loops_of = {
    by_dtype<cpu::LoopFn, computed_dtypes(Op::decl)>([]<class T>(std::type_identity<T>) { return &choose_loop<Op, T>; })};

template <class... Op> std::span<const Row> rows_of(List<Op...>) {
  static constexpr Row rows[] = {{&Op::decl, &plan_pointwise, kernel<&cpu::run_pointwise>(loops_of<Op>), nullptr, true}...};
  return built_rows<rows>();
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
