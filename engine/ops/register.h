// The families whose ops rebind geometry, copy, or fill: what kernels they have are the same for every instruction set.
#pragma once

#include <span>

#include "engine/core/registry.h"

namespace mt {

std::span<const Row> convert_rows();
std::span<const Row> view_rows();
std::span<const Row> create_rows();
std::span<const Row> rearrange_rows();

}  // namespace mt
