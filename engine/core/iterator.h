// Walks several operands of one broadcast shape together: dimensions are merged and put in the first operand's memory order, and an inner
// loop gets pointers and byte strides of runs along one dimension, from several threads when there is enough to do.
#pragma once

#include <cstdint>

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"

namespace mt {

// Elements a thread gets at least: waking a thread costs as much as adding some ten thousand floats.
inline constexpr int64_t pointwise_grain = 32768;

class Iterator {
 public:
  static constexpr int max_operands = 16;

  explicit Iterator(Sizes shape);
  void add(const Tensor& t);               // its sizes must broadcast to the shape
  void add_scalar(void* value);            // one value for every element
  void collapse(bool keep_order = false);  // after the last add; keep_order: elements are walked in logical order

  int dim() const { return ndim_; }
  int64_t numel() const { return numel_; }
  int64_t size(int d) const { return shape_[d]; }
  int64_t stride(int operand, int d) const { return strides_[operand][d]; }
  std::byte* data(int operand) const { return base_[operand]; }

  // inner(std::byte** pointers, const int64_t* strides, int64_t n), over [begin, end) of all elements.
  template <class F> void walk(int64_t begin, int64_t end, F&& inner) const;
  template <class F> void run(F&& inner, int64_t grain = pointwise_grain) const {
    parallel_for(numel_, grain, [&](int64_t begin, int64_t end) { walk(begin, end, inner); });
  }

 private:
  int ndim_, operands_ = 0;
  int64_t numel_;
  int64_t shape_[max_dims];
  std::byte* base_[max_operands];
  int64_t strides_[max_operands][max_dims];  // bytes
};

template <class F> void Iterator::walk(int64_t begin, int64_t end, F&& inner) const {
  if (begin >= end) return;
  std::byte* at[max_operands];
  int64_t inner_strides[max_operands], index[max_dims];
  int64_t rest = begin;
  for (int d = ndim_ - 1; d >= 0; --d) {
    index[d] = rest % shape_[d];
    rest /= shape_[d];
  }
  const int last = ndim_ - 1;
  for (int k = 0; k < operands_; ++k) {
    at[k] = base_[k];
    for (int d = 0; d < ndim_; ++d) at[k] += index[d] * strides_[k][d];
    inner_strides[k] = strides_[k][last];
  }
  for (int64_t done = begin; done < end;) {
    const int64_t n = std::min(shape_[last] - index[last], end - done);
    inner(at, inner_strides, n);
    done += n;
    if (done >= end) return;
    // The run ended with the row: go on with the next one.
    for (int k = 0; k < operands_; ++k) at[k] -= index[last] * strides_[k][last];
    index[last] = 0;
    for (int d = last - 1; d >= 0; --d) {
      if (++index[d] < shape_[d]) {
        for (int k = 0; k < operands_; ++k) at[k] += strides_[k][d];
        break;
      }
      index[d] = 0;
      for (int k = 0; k < operands_; ++k) at[k] -= (shape_[d] - 1) * strides_[k][d];
    }
  }
}

// The shape of a and b together: NumPy's broadcasting. Raises an error that names op and argument.
Shape broadcast(std::string_view op, std::string_view argument, Sizes a, Sizes b);
// t seen with these sizes, repeated along dimensions of size 1 without copying.
Tensor expand_to(const Tensor& t, Sizes sizes);

}  // namespace mt
