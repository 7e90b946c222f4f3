// Turns elementwise functors into loops over memory, one a dtype. Included once for each CPU instruction set: no include guard.
// Runs that are contiguous go straight through vectors; anything else (strides, 16-bit floats) passes through buffers of 256 elements that
// stay in the first-level cache, so that each functor is compiled once a dtype.

#include "engine/cpu/convert.h"
#include "engine/cpu/pointwise_loops.h"
#include "engine/cpu/streaming-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

constexpr int64_t pointwise_block = 256;

template <class Op> constexpr uint32_t number_params() {
  uint32_t mask = 0;
  for (int i = 0; i < Op::decl.signature.count; ++i) mask |= Op::decl.signature.params[i].takes(kind_tensor) ? 0u : 1u << i;
  return mask;
}

template <class C, bool is_scalar> MT_FN Simd<C> load(const Simd<C>& constant, const C* p, int64_t i) {
  if constexpr (is_scalar)
    return constant;
  else
    return Simd<C>(hn::LoadU(typename Simd<C>::D(), p + i));
}

// n contiguous elements of float or double; operands in Scalars are one value each. Streaming stores: the branch costs nothing beside the
// stores, and a loop of its own would double the code.
template <class Op, class C, uint32_t scalars, size_t... I>
void vector_run(C* out, const C* const* in, int64_t n, bool streams, std::index_sequence<I...>) {
  using V = Simd<C>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const C* const p[] = {in[I]...};  // for registers: a store might change what `in` points to
  const V constants[] = {V((scalars >> I & 1) != 0 ? *p[I] : C(0))...};
  const bool streamed = streams && can_stream(d, out);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = Op()(load<C, (scalars >> I & 1) != 0>(constants[I], p[I], i)...).v;
    if (streamed)
      hn::Stream(v, d, out + i);
    else
      hn::StoreU(v, d, out + i);
  }
  if (i < n) {
    const auto rest = hn::FirstN(d, static_cast<size_t>(n - i));
    const V operands[] = {(scalars >> I & 1) != 0 ? constants[I] : V(load_first(rest, d, in[I] + i))...};
    hn::BlendedStore(Op()(operands[I]...).v, rest, d, out + i);
  }
}

// n contiguous elements of any type, one at a time: the compiler vectorises what can be.
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

// Bytes of 0 and 1 from the masks of as many vectors as they need: vector(i) has the mask from element i on.
template <class C, class B, class F> HWY_INLINE hn::Vec<B> mask_bytes(B bytes, int64_t i, const F& vector) {
  const typename Simd<C>::D d;
  if constexpr (hn::MaxLanes(bytes) == hn::MaxLanes(d)) {
    const hn::RebindToUnsigned<decltype(d)> words;
    return hn::TruncateTo(bytes, hn::IfThenElseZero(hn::RebindMask(words, vector(i)), hn::Set(words, 1)));
  } else {
    const hn::Half<B> half;
    return hn::Combine(bytes, mask_bytes<C>(half, i + static_cast<int64_t>(hn::Lanes(half)), vector), mask_bytes<C>(half, i, vector));
  }
}

// n contiguous elements of float or double, compared.
template <class Op, class C, uint32_t scalars, size_t... I>
void mask_run(uint8_t* out, const C* const* in, int64_t n, bool streams, std::index_sequence<I...> indices) {
  using V = Simd<C>;
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

// Once in the library, not a part of each loop that calls it.
template <class Op, class C, class Out, uint32_t scalars>
HWY_NOINLINE void contiguous_run(void* to, const C* const* in, int64_t n, bool streams) {
  constexpr auto indices = std::make_index_sequence<static_cast<size_t>(Op::decl.signature.count)>();
  Out* const out = static_cast<Out*>(to);
  if constexpr (Op::decl.result == Rule::mask && std::is_floating_point_v<C>)
    mask_run<Op, C, scalars>(out, in, n, streams, indices);
  else if constexpr (!std::is_floating_point_v<C>)
    element_run<Op, C, Out, scalars>(out, in, n, indices);
  else
    vector_run<Op, C, scalars>(out, in, n, streams, indices);
}

template <class C, class T> void gather(C* to, const std::byte* from, int64_t stride, int64_t n) {
  if (stride == 0) {  // broadcast: one value for all
    std::fill_n(to, n, static_cast<C>(*reinterpret_cast<const T*>(from)));
    return;
  }
  if constexpr (is_16bit_float<T>) {
    if (stride == sizeof(T)) return cpu::widen(to, reinterpret_cast<const T*>(from), n);
  }
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<C>(*reinterpret_cast<const T*>(from + i * stride));
}

template <class C, class T> void scatter(std::byte* to, int64_t stride, const C* from, int64_t n) {
  if constexpr (is_16bit_float<T>) {
    if (stride == sizeof(T)) return cpu::narrow(reinterpret_cast<T*>(to), from, n);
  }
  for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * stride) = T(from[i]);
}

// What a loop over elements T computes with, writes, and stores.
template <bool mask, class T> struct LoopTypes {
  using Element = T;
  using C = Compute<T>;
  using Stored = std::conditional_t<mask, uint8_t, T>;
  using Out = std::conditional_t<mask, uint8_t, C>;
  static constexpr bool buffered = !std::is_same_v<C, T>;
  // n elements that follow each other; `in` has `count` operands, of which those in `scalars` are one element.
  struct Run {
    void (*run)(void* to, const C* const* in, int64_t n, bool streams);
    int count;
    uint32_t scalars;
    bool large;  // the result is written by streaming stores where runs are long
  };

  static bool streams(const Run& run, int64_t n) { return run.large && n * static_cast<int64_t>(sizeof(Stored)) >= least_streamed_run; }
  static bool out_direct(const Rows& rows) { return (!buffered || mask) && rows.strides[0] == static_cast<int64_t>(sizeof(Stored)); }
  static bool direct(const Rows& rows, const Run& run, int k) {
    return (run.scalars >> k & 1) != 0 || (!buffered && rows.strides[k + 1] == static_cast<int64_t>(sizeof(T)));
  }
  // Short rows that lie side by side in the result are taken together: a bias of 10 is added to 9000 rows in 10 us, not 39.
  static bool joins(const Rows& rows) {
    constexpr int64_t short_row = 64;
    return rows.count > 1 && rows.n < short_row && out_direct(rows) && rows.next[0] == rows.n * rows.strides[0];
  }
};

// `count` runs of n elements, made to follow each other. Whole vectors are written, so that `to` needs room for one more.
template <class C, class T> void gather_rows(C* to, const std::byte* from, int64_t stride, int64_t next, int64_t n, int64_t count) {
  if constexpr (std::is_same_v<C, T> && !std::is_same_v<C, bool>) {
    const hn::ScalableTag<C> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    if (stride == 0) {
      for (int64_t row = 0; row < count; ++row, to += n, from += next) {
        const auto value = hn::Set(d, *reinterpret_cast<const C*>(from));
        for (int64_t i = 0; i < n; i += lanes) hn::StoreU(value, d, to + i);
      }
      return;
    }
    if (stride == sizeof(C)) {
      const int64_t whole = (n - 1) / lanes * lanes;
      const auto rest = hn::FirstN(d, static_cast<size_t>(n - whole));
      for (int64_t row = 0; row < count; ++row, to += n, from += next) {
        const auto* elements = reinterpret_cast<const C*>(from);
        for (int64_t i = 0; i < whole; i += lanes) hn::StoreU(hn::LoadU(d, elements + i), d, to + i);
        hn::StoreU(load_first(rest, d, elements + whole), d, to + whole);
      }
      return;
    }
  }
  for (int64_t row = 0; row < count; ++row) gather<C, T>(to + row * n, from + row * next, stride, n);
}

// Rows that join: their operands are made to follow each other as the result's elements do.
template <class Types> void run_joined(std::byte* const* pointers, const Rows& rows, const typename Types::Run& run) {
  using C = typename Types::C;
  const int64_t together = pointwise_block / rows.n;
  const bool streams = Types::streams(run, together * rows.n);
  alignas(64) C buffers[Signature::max_params][pointwise_block + HWY_MAX_BYTES / sizeof(C)];
  const C* in[Signature::max_params];
  for (int64_t row = 0; row < rows.count; row += together) {
    const int64_t some = std::min(together, rows.count - row);
    for (int k = 0; k < run.count; ++k) {
      const int64_t stride = rows.strides[k + 1], next = rows.next[k + 1];
      const std::byte* const from = pointers[k + 1] + row * next;
      if ((run.scalars >> k & 1) != 0 || (Types::direct(rows, run, k) && next == rows.n * stride)) {
        in[k] = reinterpret_cast<const C*>(from);
        continue;
      }
      in[k] = buffers[k];
      if (row > 0 && next == 0) continue;  // the same row again
      gather_rows<C, typename Types::Element>(buffers[k], from, stride, next, rows.n, some);
    }
    run.run(pointers[0] + row * rows.next[0], in, some * rows.n, streams);
  }
  if (streams) hwy::FlushStream();
}

// Rows whose elements do not all follow each other, or are not what is computed with: by way of buffers.
template <class Types> void run_buffered(std::byte* const* pointers, const Rows& rows, const typename Types::Run& run) {
  using C = typename Types::C;
  const bool out_direct = Types::out_direct(rows), streams = Types::streams(run, rows.n);
  alignas(64) C buffers[Signature::max_params][pointwise_block];
  alignas(64) typename Types::Out result[pointwise_block];
  const C* in[Signature::max_params];
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t done = 0; done < rows.n; done += pointwise_block) {
      const int64_t m = std::min(pointwise_block, rows.n - done);
      for (int k = 0; k < run.count; ++k) {
        const bool scalar = (run.scalars >> k & 1) != 0;
        const std::byte* from = pointers[k + 1] + row * rows.next[k + 1] + (scalar ? 0 : done * rows.strides[k + 1]);
        if (Types::direct(rows, run, k)) {
          in[k] = reinterpret_cast<const C*>(from);
        } else {
          gather<C, typename Types::Element>(buffers[k], from, rows.strides[k + 1], m);
          in[k] = buffers[k];
        }
      }
      std::byte* to = pointers[0] + row * rows.next[0] + done * rows.strides[0];
      if (out_direct) {
        run.run(to, in, m, streams);
      } else {
        run.run(result, in, m, false);
        scatter<typename Types::Out, typename Types::Stored>(to, rows.strides[0], result, m);
      }
    }
  }
  if (streams) hwy::FlushStream();
}

template <class Op, class T, uint32_t scalars> void run_loop(std::byte* const* pointers, const Rows& rows, uint32_t given) {
  using Types = LoopTypes<Op::decl.result == Rule::mask, T>;
  using C = typename Types::C;
  constexpr int count = Op::decl.signature.count;
  constexpr auto contiguous = &contiguous_run<Op, C, typename Types::Out, scalars>;
  const typename Types::Run run{contiguous, count, scalars, (given & cpu::result_streams) != 0};
  if (Types::joins(rows)) return run_joined<Types>(pointers, rows, run);
  bool all_direct = Types::out_direct(rows);
  for (int k = 0; k < count; ++k) all_direct = all_direct && Types::direct(rows, run, k);
  if (!all_direct) return run_buffered<Types>(pointers, rows, run);
  const bool streams = Types::streams(run, rows.n);
  const C* in[count];
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int k = 0; k < count; ++k) in[k] = reinterpret_cast<const C*>(pointers[k + 1] + row * rows.next[k + 1]);
    contiguous(pointers[0] + row * rows.next[0], in, rows.n, streams);
  }
  if (streams) hwy::FlushStream();
}

// Chooses among the compiled combinations of number and tensor operands: those the signature allows. A tensor that is broadcast along the
// loop is as good as a number where both may come.
template <class Op, class T, int param = 0, uint32_t scalars = number_params<Op>()>
void choose_loop(std::byte* const* pointers, const Rows& rows, uint32_t given) {
  if constexpr (param == Op::decl.signature.count) {
    run_loop<Op, T, scalars>(pointers, rows, given);
  } else if constexpr (Op::decl.signature.params[param].takes(kind_tensor) && Op::decl.signature.params[param].takes(kind_number)) {
    const bool one_value =
        rows.strides[param + 1] == 0 && (rows.next[param + 1] == 0 || !LoopTypes<Op::decl.result == Rule::mask, T>::joins(rows));
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
  return rows;
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
