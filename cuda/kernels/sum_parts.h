// Adds the partial results of several blocks for the same elements, in the order of the parts.
#pragma once

#include "cuda/launch.h"

namespace mt::cuda {

template <class From, class To> struct SumPartsKernel {
  const From* parts;
  int64_t count, n;
  To* sums;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      From sum = parts[i];
      for (int64_t part = 1; part < count; ++part) sum += parts[part * n + i];
      sums[i] = static_cast<To>(sum);
    }
  }
};

// Adds `count` consecutive parts of n elements each.
template <class From, class To> void sum_parts(Stream stream, const From* parts, int64_t count, int64_t n, To* sums) {
  launch_each(stream, n, SumPartsKernel<From, To>{parts, count, n, sums});
}

}  // namespace mt::cuda
