// Which images of a prepared run have channels in blocks (engine/core/image_blocks.h).
#pragma once

#include "engine/core/packing.h"

namespace mt {

// Images have blocks if a kernel that prefers them writes them, and all kernels that use them accept them, through copies to parts of
// larger images, pooling and elementwise kernels as well. Inputs, outputs and constants have channels first.
void choose_image_blocks(const LaunchList& list, const PackingContext& context);

}  // namespace mt
