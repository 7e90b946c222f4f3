// Values of prepared runs that are computed where a launch would copy them to: parts of concatenations, and summands of convolutions.
#pragma once

#include "engine/core/packing.h"

namespace mt {

// Moves such values, and removes copies that have nothing left to do. A value moves if the launch is the last one to use it, and if nothing
// uses its place between its first use and this launch, except for copies to other parts of the same storage.
void compute_in_place(LaunchList& list, const PackingContext& context);

}  // namespace mt
