// A contiguous tensor as slices along one dimension: `outer` blocks of n rows of `inner` elements. If inner is 1, slices are
// contiguous.
#pragma once

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"

namespace mt {

inline constexpr int64_t slice_columns = 1024;  // adjacent slices that are processed together

// Requires a tensor with elements: if a size is 0, the product of the others may overflow.
struct Slices {
  int64_t outer = 1, n = 1, inner = 1;

  Slices(const Tensor& x, int dim) : n(x.size(dim)) {
    for (int d = 0; d < dim; ++d) outer *= x.size(d);
    for (int d = dim + 1; d < x.dim(); ++d) inner *= x.size(d);
  }
  int64_t count() const { return outer * inner; }

  // Calls rows(first slice, slices) if slices are contiguous, else columns(first element, slices), in several threads.
  template <class Rows, class Columns> void run(Rows rows, Columns columns, int64_t grain = 32768) const {
    if (inner == 1) {
      parallel_for(outer, std::max<int64_t>(1, grain / std::max<int64_t>(n, 1)),
                   [&](int64_t begin, int64_t end) { rows(begin, end - begin); });
      return;
    }
    // Blocks of full cache lines, enough of them for some threads.
    const int64_t width = std::min({slice_columns, inner, std::max<int64_t>(64, count() / 16 / 16 * 16)}),
                  blocks = (inner + width - 1) / width;
    parallel_for(outer * blocks, std::max<int64_t>(1, grain / std::max<int64_t>(n * width, 1)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t column = i % blocks * width;
        columns(i / blocks * n * inner + column, std::min(width, inner - column));
      }
    });
  }
};

}  // namespace mt
