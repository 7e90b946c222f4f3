// Loops of the ops in engine/ops/bits-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/bits.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <span>

#include "engine/core/half.h"
#include "engine/cpu/lane-inl.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

template <class T> MT_FN bool shifts_out(T count) { return count < T(0) || static_cast<uint64_t>(count) >= 8 * sizeof(T); }

template <class T> MT_FN Scalar<T> lshift(Scalar<T> x, Scalar<T> count) {
  using Bits = std::make_unsigned_t<T>;
  return shifts_out(count.v) ? Scalar<T>(T(0)) : Scalar<T>(static_cast<T>(static_cast<uint64_t>(static_cast<Bits>(x.v)) << count.v));
}
template <class T> MT_FN Scalar<T> rshift(Scalar<T> x, Scalar<T> count) {
  using Bits = std::make_unsigned_t<T>;
  return shifts_out(count.v) ? Scalar<T>(T(0)) : Scalar<T>(static_cast<T>(static_cast<uint64_t>(static_cast<Bits>(x.v)) >> count.v));
}

// The C library's exp2 is exact for integers.
template <class T> MT_FN Simd<T> lshift(Simd<T> x, Simd<T> count) {
  return each([](T a, T n) { return a * std::exp2(n); }, x, count);
}
template <class T> MT_FN Simd<T> rshift(Simd<T> x, Simd<T> count) {
  return each([](T a, T n) { return a / std::exp2(n); }, x, count);
}

#include "engine/ops/bits-inl.h"

std::span<const Row> bits_rows() { return rows_of(BitOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(bits_rows);
namespace cpu {
std::span<const Row> bits_rows() { return HWY_DYNAMIC_DISPATCH(bits_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
