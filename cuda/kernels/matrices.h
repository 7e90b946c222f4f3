// Shared code of the linear algebra kernels: batches of matrices, copies of their parts, and the answers of plans.
#pragma once

#include <vector>

#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "engine/ops/linalg.h"

namespace mt::cuda {

// Calls f with std::type_identity<T>, where T is the element type of the dtype: float or double.
template <class F> void by_precision(DType dtype, F f) { dispatch<dtypes_of(DType::float32, DType::float64)>(dtype, f); }

// The consecutive matrices of a tensor; `data` is an address as in tensors.
template <class T> struct MatrixBatch {
  T* data;
  int64_t rows, cols, count = 1;

  explicit MatrixBatch(const Tensor& t) : data(t.data<T>()), rows(t.size(t.dim() - 2)), cols(t.size(t.dim() - 1)) {
    for (int d = 0; d < t.dim() - 2; ++d) count *= t.size(d);
  }
};

// The elements of consecutive matrices: strides in elements; addresses as kernels use them.
template <class T> struct Places {
  T* data;
  int64_t row_stride, col_stride, step;

  MT_DEVICE T& at(int64_t matrix, int64_t row, int64_t col) const { return data[matrix * step + row * row_stride + col * col_stride]; }
};
template <class T> Places<T> by_columns(T* address, int64_t rows, int64_t cols) {
  return {driver::reachable(address), 1, rows, rows * cols};
}
template <class T> Places<T> by_columns(const MatrixBatch<T>& m) { return by_columns(m.data, m.rows, m.cols); }
template <class T> Places<T> by_rows(T* address, int64_t rows, int64_t cols) { return {driver::reachable(address), cols, 1, rows * cols}; }
template <class T> Places<T> transposed(const Places<T>& p) { return {p.data, p.col_stride, p.row_stride, p.step}; }

// Calls f(matrix, row, column) in one thread per element of `count` matrices; neighbouring threads have the same column.
template <class F> struct EachElementKernel {
  F f;
  int64_t rows, cols, n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) f(i / (rows * cols), i % rows, i / rows % cols);
  }
};
template <class F> void each_element(Stream stream, int64_t count, int64_t rows, int64_t cols, const F& f) {
  const int64_t n = count * rows * cols;
  launch_each(stream, n, EachElementKernel<F>{f, rows, cols, n});
}

// The part of a matrix that is copied; the rest becomes 0, and a unit diagonal 1.
enum class Part : uint8_t { whole, upper, lower, unit_lower };

template <class T> struct Move {
  Places<T> to;
  Places<T> from;
  Part part;
  MT_DEVICE void operator()(int64_t matrix, int64_t row, int64_t col) const {
    const bool kept = part == Part::whole || (part == Part::upper ? row <= col : row > col || (part == Part::lower && row == col));
    to.at(matrix, row, col) = kept ? from.at(matrix, row, col) : part == Part::unit_lower && row == col ? T(1) : T(0);
  }
};
// Copies elements to the same rows and columns of other matrices, or in place.
template <class T>
void move(Stream stream, int64_t count, int64_t rows, int64_t cols, const Places<T>& to, const Places<T>& from, Part part = Part::whole) {
  each_element(stream, count, rows, cols, Move<T>{to, from, part});
}

template <class T> struct SetIdentity {
  Places<T> to;
  MT_DEVICE void operator()(int64_t matrix, int64_t row, int64_t col) const { to.at(matrix, row, col) = row == col ? T(1) : T(0); }
};

// LAPACK's info of each matrix, on the device. tell() waits for the device and reads them.
class Infos {
 public:
  Infos(Stream stream, int64_t count) : stream_(stream), count_(count), memory_(stream, count) {}
  int32_t* address() const { return static_cast<int32_t*>(memory_.address()); }  // as in tensors
  int32_t* data() const { return memory_.data(); }                               // as kernels use it
  void tell(MatrixFailure& failure) const {
    std::vector<int32_t> all(static_cast<size_t>(count_));
    driver::copy_to_host(stream_, all.data(), address(), all.size() * sizeof(int32_t));
    for (const int32_t info : all) {
      if (failure || info <= 0) continue;
      failure.info = info;
    }
  }

 private:
  const Stream stream_;
  const int64_t count_;
  const Scratch<int32_t> memory_;
};

struct Least {
  MT_DEVICE int32_t operator()(int32_t a, int32_t b) const { return a < b ? a : b; }
};

// One block per matrix: the position of the first 0 on its diagonal of n elements, counted from 1, or 0 if there is none.
template <class T> struct ZeroPivotKernel {
  static constexpr int32_t none = INT32_MAX;
  Places<T> a;
  int64_t n, count;
  int32_t* infos;
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<int32_t> scratch = t.shared<int32_t>(warp_size);
    for (int64_t matrix = t.block(); matrix < count; matrix += t.blocks()) {
      int32_t first = none;
      for (int64_t i = t.index(); i < n && first == none; i += t.threads()) {
        if (a.at(matrix, i, i) == T(0)) first = static_cast<int32_t>(i + 1);
      }
      first = block_reduce(t, first, none, Least(), scratch);
      if (t.index() == 0) infos[matrix] = first == none ? 0 : first;
    }
  }
};
template <class T> void find_zero_pivots(Stream stream, int64_t count, int64_t n, const Places<T>& a, const Infos& infos) {
  launch(stream, std::min(count, most_blocks), block_threads, warp_size * sizeof(int32_t), ZeroPivotKernel<T>{a, n, count, infos.data()});
}

}  // namespace mt::cuda
