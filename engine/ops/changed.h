// Results that do not begin as nothing: an op changes parts of its argument, replaces all of it, or adds to zeros.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// What is written when all elements of argument 0 are replaced: the given result, where it is that very tensor, else a tensor of its sizes.
Tensor replaced(const Call& call);

// The same with the elements of argument 0, of which parts are to be changed.
Tensor changed(const Call& call);

// A source in out's dtype, in memory that writing to out leaves alone.
Tensor apart(const Tensor& source, const Tensor& out);

// Result 0 as zeros.
Tensor zero_output(const Call& call, DType dtype, Sizes sizes, ImageLayout layout = ImageLayout::channels_first);

}  // namespace mt
