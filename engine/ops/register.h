// The families of ops that need no kernel of their own: they rebind geometry, copy, or fill.
#pragma once

#include <span>

#include "engine/core/registry.h"

namespace mt {

std::span<const Row> convert_rows();
std::span<const Row> view_rows();
std::span<const Row> create_rows();
std::span<const Row> rearrange_rows();

}  // namespace mt
