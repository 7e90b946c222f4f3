// The device of tensors with sizes and without elements: planning an op on them determines its results' sizes and dtypes.
#pragma once

#include "engine/core/device.h"

namespace mt {

Device& meta();
Device& pending();  // of pending results: the same, by another name

void copy_nothing(const Tensor& dst, const Tensor& src);

// Returns a tensor on meta with the geometry of x; x itself if it is on meta.
Tensor without_elements(const Tensor& x);

}  // namespace mt
