// Results that start with elements: an op modifies parts of its argument, replaces all of its elements, or adds to zeros.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// The tensor to write to when all elements of argument 0 are replaced: the out argument if that is argument 0, else one of its sizes.
Tensor replaced(const Call& call);

// The same with a copy of the elements of argument 0, for ops that modify parts of them.
Tensor changed(const Call& call);

// Returns source in out's dtype, in memory that writes to out don't modify.
Tensor apart(const Tensor& source, const Tensor& out);

// Returns result 0, filled with zeros.
Tensor zero_output(const Call& call, DType dtype, Sizes sizes, ImageLayout layout = ImageLayout::channels_first);

}  // namespace mt
