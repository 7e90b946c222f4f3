// How callers count: Lua and every message from 1, the engine and C from 0. Negative dimensions, and negative positions in lists, count
// from the end in both.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/core/signature.h"

namespace mt {

// A dimension or a position of the engine, counted from 1.
template <class T> constexpr T counted_from_1(T value) {
  if constexpr (std::is_integral_v<T>) {
    if (value == std::numeric_limits<T>::max()) return value;
  }
  return value >= 0 ? value + 1 : value;
}

// The value of an argument, counted from 1 if the argument counts. A single position is shifted even if it is negative.
template <class T> constexpr T counted_from_1(T value, const Param& p) {
  if (p.takes(kind_index)) return value < 0 ? value + 1 : counted_from_1(value);
  return p.takes(kind_dim) ? counted_from_1(value) : value;
}

}  // namespace mt
