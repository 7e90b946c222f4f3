// Rows of elementwise loops. Rows whose elements are not contiguous, or not of the type of the computation (16-bit floats), go through
// buffers of 256 elements that stay in the first-level cache: so each functor is compiled once per type of computation.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/pointwise_rows.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "engine/core/half.h"
#include "engine/core/signature.h"
#include "engine/cpu/convert.h"
#include "engine/cpu/lane-inl.h"
#include "engine/cpu/pointwise_loops.h"
#include "engine/cpu/pointwise_rows.h"
#include "engine/cpu/streaming.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

using cpu::RunFn, cpu::RunTypes;

constexpr int64_t pointwise_block = 256;

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

// The results of loops: elements of the operands' type, 0 or 1, or real parts of complex elements.
enum class Stores { elements, masks, parts };

// The types in which a loop over elements T computes, writes, and stores.
template <Stores stores, class T> struct LoopTypes {
  using Element = T;
  using C = Compute<T>;
  using Stored = std::conditional_t<stores == Stores::masks, uint8_t, T>;
  using Out = std::conditional_t<stores == Stores::masks, uint8_t, C>;
};
template <class T> struct LoopTypes<Stores::parts, T> {
  using Element = T;
  using C = T;
  using Stored = typename T::value_type;
  using Out = Stored;
};

// Copies `count` runs of n elements to contiguous memory. It writes full vectors, so `to` needs room for one more.
template <class C, class T> void gather_rows(C* to, const std::byte* from, int64_t stride, int64_t next, int64_t n, int64_t count) {
  if constexpr (std::is_same_v<C, T> && has_vectors<C>) {
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

// Rows that join: their operands are copied to the contiguous order of the result's elements.
template <class Types> void run_joined(std::byte* const* pointers, const Rows& rows, RunFn run, RunTypes types, bool large) {
  using C = typename Types::C;
  const int64_t together = pointwise_block / rows.n;
  const bool streams = large && together * rows.n * types.stored >= least_streamed_run;
  alignas(64) C buffers[Signature::max_params][pointwise_block + HWY_MAX_BYTES / sizeof(C)];
  const void* in[Signature::max_params];
  for (int64_t row = 0; row < rows.count; row += together) {
    const int64_t some = std::min(together, rows.count - row);
    for (int k = 0; k < types.count; ++k) {
      const int64_t stride = rows.strides[k + 1], next = rows.next[k + 1];
      const std::byte* const from = pointers[k + 1] + row * next;
      if (types.is_scalar(k) || (types.direct(rows, k) && next == rows.n * stride)) {
        in[k] = from;
        continue;
      }
      in[k] = buffers[k];
      if (row > 0 && next == 0) continue;  // the row is still in the buffer
      gather_rows<C, typename Types::Element>(buffers[k], from, stride, next, rows.n, some);
    }
    run(pointers[0] + row * rows.next[0], in, some * rows.n, streams);
  }
  if (streams) hwy::FlushStream();
}

// Rows with elements that are not contiguous or not of the type of the computation: through buffers.
template <class Types> void run_buffered(std::byte* const* pointers, const Rows& rows, RunFn run, RunTypes types, bool large) {
  using C = typename Types::C;
  const bool out_direct = types.out_direct(rows), streams = large && rows.n * types.stored >= least_streamed_run;
  alignas(64) C buffers[Signature::max_params][pointwise_block];
  alignas(64) typename Types::Out result[pointwise_block];
  const void* in[Signature::max_params];
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t done = 0; done < rows.n; done += pointwise_block) {
      const int64_t m = std::min(pointwise_block, rows.n - done);
      for (int k = 0; k < types.count; ++k) {
        const std::byte* from = pointers[k + 1] + row * rows.next[k + 1] + (types.is_scalar(k) ? 0 : done * rows.strides[k + 1]);
        if (types.direct(rows, k)) {
          in[k] = from;
        } else {
          gather<C, typename Types::Element>(buffers[k], from, rows.strides[k + 1], m);
          in[k] = buffers[k];
        }
      }
      std::byte* to = pointers[0] + row * rows.next[0] + done * rows.strides[0];
      if (out_direct) {
        run(to, in, m, streams);
      } else {
        run(result, in, m, false);
        scatter<typename Types::Out, typename Types::Stored>(to, rows.strides[0], result, m);
      }
    }
  }
  if (streams) hwy::FlushStream();
}

// Loops over rows other than contiguous runs.
struct RowLoops {
  using Fn = void (*)(std::byte* const* pointers, const Rows& rows, RunFn run, RunTypes types, bool large);
  Fn joined, buffered;
};

constexpr DTypeSet operands_of(Stores stores) {
  if (stores == Stores::masks) return all_dtypes;  // results of comparisons
  return stores == Stores::parts ? complex_dtypes : arithmetic_dtypes;
}

template <Stores stores>
constexpr std::array<RowLoops, dtype_count> row_loops = by_dtype<RowLoops, operands_of(stores)>([]<class T>(std::type_identity<T>) {
  return RowLoops{&run_joined<LoopTypes<stores, T>>, &run_buffered<LoopTypes<stores, T>>};
});

void run_other_rows(std::byte* const* pointers, const Rows& rows, RunFn run, RunTypes types, bool large) {
  const auto& table = types.mask ? row_loops<Stores::masks> : types.gives_real() ? row_loops<Stores::parts> : row_loops<Stores::elements>;
  const RowLoops& loops = table[static_cast<size_t>(types.dtype)];
  (types.joins(rows) ? loops.joined : loops.buffered)(pointers, rows, run, types, large);
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {
HWY_EXPORT(run_other_rows);
namespace cpu {

void run_rows(std::byte* const* pointers, const Rows& rows, RunFn run, RunTypes types, uint32_t given) {
  const bool large = (given & result_streams) != 0;
  const void* in[Signature::max_params];
  bool straight = types.out_direct(rows) && !types.joins(rows);
  for (int k = 0; k < types.count; ++k) {
    straight = straight && types.direct(rows, k);
    in[k] = pointers[k + 1];
  }
  if (!straight) return HWY_DYNAMIC_DISPATCH(run_other_rows)(pointers, rows, run, types, large);
  const bool streams = large && rows.n * types.stored >= least_streamed_run;
  run(pointers[0], in, rows.n, streams);
  for (int64_t row = 1; row < rows.count; ++row) {
    for (int k = 0; k < types.count; ++k) in[k] = pointers[k + 1] + row * rows.next[k + 1];
    run(pointers[0] + row * rows.next[0], in, rows.n, streams);
  }
  if (streams) hwy::FlushStream();
}

}  // namespace cpu
}  // namespace mt
#endif
