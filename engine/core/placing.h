// Launches of prepared runs whose operand may lie where the launch writes.
#pragma once

#include <optional>

#include "engine/core/recording.h"

namespace mt {

// `value` is read, and may lie in `place`, of its dtype and number of elements, which the launch writes. Both are contiguous.
struct Placing {
  Operand value, place;
  bool is_copy;  // then nothing is left to do
};
using PlacingFn = std::optional<Placing> (*)(const Launch& launch);

// Sets the function of launches with the kernel's function, at start-up.
void add_placing(const Kernel& kernel, PlacingFn find);

std::optional<Placing> placing_of(const Launch& launch);

}  // namespace mt
