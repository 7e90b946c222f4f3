// Pooling in prepared runs: maxima without positions, and images with channels in blocks.
#pragma once

#include "engine/core/packing.h"
#include "engine/ops/pool.h"

namespace mt::cpu {

// Replaces max pooling with channels first in launches of the kernel, if nothing reads the positions. Both accept blocks of channels.
void add_pool_packing(const Kernel& of_max_pool, const Kernel& of_avg_pool);

}  // namespace mt::cpu
