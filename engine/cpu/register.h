// The families of ops: a file NAME.cpp of engine/cpu, or of engine/ops if it needs no kernel, may define the function std::span<const Row>
// NAME_rows(), which cmake/families.cmake finds by the name of the file.
#pragma once

#include <span>

#include "engine/core/registry.h"

namespace mt {

void add_families(Registry& registry);  // in the order of their names

namespace cpu {

void register_kernels(Registry& registry);

}  // namespace cpu
}  // namespace mt
