// Maximum pooling without positions, for prepared runs that don't read them.
#pragma once

#include "engine/core/packing.h"
#include "engine/ops/pool.h"

namespace mt::cpu {

// Replaces max pooling with channels first in launches of the kernel, if nothing reads the positions.
void add_pool_packing(const Kernel& of_max_pool);

}  // namespace mt::cpu
