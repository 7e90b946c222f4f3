// Applies functions of one element in double.
#pragma once

#include "cuda/value.h"

namespace mt::cuda {

// F::of is a function of as many numbers as there are operands.
template <class F, class T, class... More> MT_FN Value<T> element(const F&, Value<T> a, More... more) {
  return Value<T>(static_cast<T>(F::of(static_cast<double>(a.v), static_cast<double>(more.v)...)));
}

}  // namespace mt::cuda
