// Pooling of images with their channels last.
#pragma once

#include "engine/ops/pool.h"

namespace mt::cpu {

// Positions are counted in lanes as wide as the elements: planes have fewer than 2^31 places.
const PoolKernels* channels_last_pool_kernels();

}  // namespace mt::cpu
