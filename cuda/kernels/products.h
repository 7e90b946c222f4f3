// The arguments of a matrix product, for its kernels.
#pragma once

#include <utility>

#include "cuda/layout.h"
#include "cuda/runtime/streams.h"
#include "engine/ops/matmul.h"

namespace mt::cuda {

using ProductBatch = Layout<3, int64_t>;  // offsets of a product's matrices; strides in bytes
enum Role : uint8_t { role_out, role_a, role_b };

// Addresses are as in tensors.
struct ProductTask {
  Stream stream;
  DType dtype;
  ProductBatch batch;
  int64_t count;
  Matrices matrices[3];  // by role
  const std::byte* bias;

  explicit ProductTask(const ProductPlan& plan)
      : stream(op_stream()),
        dtype(plan.dtype),
        batch(plan.batches ? plan.batches : Geometry(Shape{plan.batch})),
        count(plan.batches ? plan.batches.numel() : plan.batch),
        matrices{plan.out, plan.a, plan.b},
        bias(plan.bias) {
    for (int role = 0; role < 3; ++role) {
      Matrices& m = matrices[role];
      if (plan.batches)
        m.data = plan.batches.data(role);
      else
        batch.strides[role][0] = m.step * size_of(dtype);
    }
    if (count == 1) batch.dims = 0;
  }

  // Computes out' = b' a' instead of out = a b: a row-major result is the
  // transpose of a column-major one.
  void transpose() {
    for (Matrices& m : matrices) m = m.transposed();
    std::swap(matrices[role_a], matrices[role_b]);
    for (int d = 0; d < batch.dims; ++d) std::swap(batch.strides[role_a][d], batch.strides[role_b][d]);
  }
};

template <class T> MT_DEVICE T& element(std::byte* data, const Matrices& m, int64_t row, int64_t col) {
  return reinterpret_cast<T*>(data)[row * m.row_stride + col * m.col_stride];
}

// The product of integer matrices; sums wrap.
void multiply_integers(ProductTask task, const ProductPlan& plan);

}  // namespace mt::cuda
