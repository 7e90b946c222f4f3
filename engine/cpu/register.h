// The families of ops: a file of engine/cpu, or of engine/ops where no kernel is needed, defines std::span<const Row> NAME_rows(), and is
// found by that (cmake/families.cmake).
#pragma once

#include <span>

#include "engine/core/registry.h"

namespace mt {

void add_families(Registry& registry);  // in the order of their names

namespace cpu {

void register_kernels(Registry& registry);

}  // namespace cpu
}  // namespace mt
