// Views of tensors that treat the lines along a dimension as operands of a layout.
#pragma once

#include "engine/core/geometry.h"

namespace mt::cuda {

inline Tensor seen_as(const Tensor& t, Sizes sizes, Sizes strides) {
  Tensor view = t;
  view.set_geometry(t.offset(), sizes, strides);
  return view;
}

// A view of t with these sizes, of as many dimensions, and stride 0 along dim: the first element of each line.
inline Tensor line_starts(const Tensor& t, Sizes sizes, int dim) {
  Shape strides(t.strides());
  strides[dim] = 0;
  return seen_as(t, sizes, strides);
}

// A view of t with stride `step`, in elements, along dim, and stride 0 elsewhere.
inline Tensor steps_along(const Tensor& t, Sizes sizes, int dim, int64_t step = 1) {
  Shape strides(sizes);
  for (int d = 0; d < strides.size(); ++d) strides[d] = d == dim ? step : 0;
  return seen_as(t, sizes, strides);
}

}  // namespace mt::cuda
