// A size or stride as a divisor of positions, in 32 or 64 bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/layout.h"

namespace mt::cuda {

// A positive divisor in 32 bits, for dividends that are not negative.
class FastStep {
 public:
  FastStep(int64_t value) : divisor_(static_cast<uint32_t>(value)) {}  // implicit: it is a number
  constexpr operator int32_t() const { return static_cast<int32_t>(divisor_.value); }
  friend constexpr int32_t operator/(int32_t n, const FastStep& by) {
    return static_cast<int32_t>(by.divisor_.quotient(static_cast<uint32_t>(n)));
  }
  friend constexpr int32_t operator%(int32_t n, const FastStep& by) { return n - n / by * by; }

 private:
  Divisor divisor_;
};

template <class N> using Step = std::conditional_t<std::is_same_v<N, int32_t>, FastStep, int64_t>;

}  // namespace mt::cuda
