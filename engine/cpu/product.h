// The arithmetic of one element of a product, shared by the plain kernels: the type of sums, and how a sum is written.
#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/core/dtype.h"

namespace mt::cpu {

// Sums of integers are unsigned, so that wrapping is well defined, and at least 32 bits wide; those of 16-bit floats are float32.
template <class T> using Work =
    std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, Compute<T>>;

template <class T> Work<T> to_work(T value) { return static_cast<Work<T>>(static_cast<Compute<T>>(value)); }

// beta old + alpha sum. If beta is 0, old is ignored: it may be uninitialised.
template <class T> T combine(Compute<T> alpha, Work<T> sum, Compute<T> beta, const T& old) {
  Work<T> value = static_cast<Work<T>>(alpha) * sum;
  if (beta != 0) value += static_cast<Work<T>>(beta) * to_work(old);
  return static_cast<T>(value);
}

#define MT_FOR_EACH_REAL(apply) \
  apply(uint8_t) apply(int8_t) apply(int16_t) apply(int32_t) apply(int64_t) apply(Half) apply(BFloat16) apply(float) apply(double)

}  // namespace mt::cpu
