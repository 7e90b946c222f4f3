// Matrix products. Products of floats use the vendor's library
// (cuda/vendor/blas.h), with one launch if one stride of each operand is 1.
// Other operands are copied first. For batches without a single stride, a
// kernel computes the addresses of the matrices.
#include <optional>

#include "cuda/kernels/products.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/value.h"
#include "cuda/vendor/blas.h"

namespace mt::cuda {
namespace {

using blas::Factor;

// The real part of a factor for real matrices, which have no imaginary one.
template <class T> T factor_as(Factor factor) {
  if constexpr (is_complex<T>)
    return T(factor);
  else
    return static_cast<T>(factor.re);
}

// Initialises out: rows equal to `bias`, or out times beta.
template <class T> struct StartKernel {
  ProductBatch batch;
  Matrices out;
  std::byte* data;
  const T* bias;
  Compute<T> beta;
  int64_t n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const int64_t in_matrix = i % (out.rows * out.cols), row = in_matrix / out.cols, col = in_matrix % out.cols;
      int64_t offsets[3];
      batch.find(i / (out.rows * out.cols), offsets);
      T& to = element<T>(data + offsets[role_out], out, row, col);
      to = bias != nullptr ? bias[col] : beta == 0 ? narrow<T>(Compute<T>(0)) : narrow<T>(beta * widen(to));
    }
  }
};

template <class T> void start(const ProductTask& task, Factor beta) {
  const Matrices& out = task.matrices[role_out];
  const int64_t n = task.count * out.rows * out.cols;
  launch_each(task.stream, n,
              StartKernel<T>{task.batch, out, reachable(out.data.data()), driver::reachable(reinterpret_cast<const T*>(task.bias)),
                             factor_as<Compute<T>>(beta), n});
}

// Copies matrices of any strides to column-major ones without gaps, or back.
template <class Bits> struct PackKernel {
  ProductBatch batch;
  Role role;
  Matrices strided;
  std::byte* data;
  Bits* packed;
  bool back;
  int64_t n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const int64_t in_matrix = i % (strided.rows * strided.cols), row = in_matrix % strided.rows, col = in_matrix / strided.rows;
      int64_t offsets[3];
      batch.find(i / (strided.rows * strided.cols), offsets);
      Bits& other = element<Bits>(data + offsets[role], strided, row, col);
      if (back)
        other = packed[i];
      else
        packed[i] = other;
    }
  }
};

void move_packed(const ProductTask& task, Role role, void* packed, bool back) {
  const Matrices& m = task.matrices[role];
  const int64_t n = task.count * m.rows * m.cols;
  by_width(task.dtype, [&]<class Bits>(Bits) {
    launch_each(task.stream, n, PackKernel<Bits>{task.batch, role, m, reachable(m.data.data()), static_cast<Bits*>(packed), back, n});
  });
}

// Whether the matrix is column-major, as vendors' libraries require.
bool is_by_columns(const Matrices& m) {
  return (m.row_stride == 1 || m.rows == 1) && (m.cols == 1 || m.col_stride >= std::max<int64_t>(m.rows, 1));
}
int64_t leading(const Matrices& m) { return m.cols == 1 ? m.rows : m.col_stride; }

blas::Operand operand(const Matrices& m, int64_t step) {
  if (is_by_columns(m)) return {m.data, false, leading(m), step};
  return {m.data, true, leading(m.transposed()), step};
}

// For the duration of a call, a copy of matrices whose strides libraries don't support.
class Packed {
 public:
  Packed(ProductTask& task, Role role, bool read) : task_(task), strided_(task), role_(role) {
    Matrices& m = task.matrices[role];
    if (is_by_columns(m) || (role != role_out && is_by_columns(m.transposed()))) return;
    const int64_t bytes = m.rows * m.cols * size_of(task.dtype);
    memory_.emplace(task.stream, task.count * bytes);
    if (read) move_packed(task, role, memory_->data(), false);
    m = {Address(), m.rows, m.cols, 1, m.rows, m.rows * m.cols};
    m.data = static_cast<std::byte*>(memory_->address());
    int64_t step = bytes;
    for (int d = 0; d < task.batch.dims; ++d) {
      task.batch.strides[role][d] = step;
      step *= task.batch.sizes[d].value;
    }
  }
  void bring_back() const {
    if (memory_) move_packed(strided_, role_, memory_->data(), true);
  }

 private:
  ProductTask& task_;
  const ProductTask strided_;
  const Role role_;
  std::optional<Scratch<std::byte>> memory_;
};

struct AddressKernel {
  ProductBatch batch;
  std::byte* data[3];
  void** addresses[3];
  int64_t n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      int64_t offsets[3];
      batch.find(i, offsets);
      for (int role = 0; role < 3; ++role) addresses[role][i] = data[role] + offsets[role];
    }
  }
};

void multiply_by_addresses(const ProductTask& task, const blas::Product& product) {
  const Scratch<void*> memory(task.stream, 3 * task.count);
  AddressKernel kernel{task.batch, {}, {}, task.count};
  for (int role = 0; role < 3; ++role) {
    kernel.data[role] = reachable(task.matrices[role].data.data());
    kernel.addresses[role] = memory.data() + role * task.count;
  }
  launch_each(task.stream, task.count, kernel);
  blas::multiply_each(task.stream, product, {kernel.addresses[role_a], kernel.addresses[role_b], kernel.addresses[role_out]});
}

blas::Product product_of(const ProductTask& task, Factor alpha, Factor beta) {
  const Matrices &out = task.matrices[role_out], &a = task.matrices[role_a], &b = task.matrices[role_b];
  const auto step = [&](Role role) { return task.batch.dims == 0 ? 0 : task.batch.strides[role][0] / size_of(task.dtype); };
  return {.dtype = task.dtype,
          .m = out.rows,
          .n = out.cols,
          .k = a.cols,
          .batch = task.count,
          .alpha = alpha,
          .beta = beta,
          .a = operand(a, step(role_a)),
          .b = operand(b, step(role_b)),
          .c = out.data.data(),
          .ldc = leading(out),
          .c_step = step(role_out)};
}

// Computes the product with bias in one launch; returns false if this is not possible.
bool multiply_onto_bias(ProductTask task, Factor alpha) {
  if (task.batch.dims > 0 || !is_by_columns(task.matrices[role_out].transposed())) return false;
  task.transpose();
  const Packed a(task, role_a, true), b(task, role_b, true);
  return blas::multiply_with_bias(task.stream, product_of(task, alpha, 0), task.bias);
}

void multiply_onto_out(ProductTask task, Factor alpha, Factor beta) {
  const Matrices& out = task.matrices[role_out];
  if (!is_by_columns(out) && is_by_columns(out.transposed())) task.transpose();
  const Packed a(task, role_a, true), b(task, role_b, true), result(task, role_out, beta != 0);
  const blas::Product product = product_of(task, alpha, beta);
  if (task.batch.dims > 1)
    multiply_by_addresses(task, product);
  else
    blas::multiply(task.stream, product);
  result.bring_back();
}

template <class T> void multiply_floats(const ProductTask& task, Factor alpha, Factor beta) {
  if (alpha == 0 || task.matrices[role_a].cols == 0) return start<T>(task, beta);
  if (task.bias != nullptr) {
    if (multiply_onto_bias(task, alpha)) return;
    start<T>(task, beta);
  }
  multiply_onto_out(task, alpha, beta);
}

void run_product(const ProductPlan& plan) {
  const ProductTask task(plan);
  if (!is_inexact(plan.dtype)) return multiply_integers(task, plan);
  const Factor alpha(plan.alpha.as_double(), plan.alpha_imaginary), beta(plan.beta.as_double(), plan.beta_imaginary);
  dispatch<inexact_dtypes>(plan.dtype, [&]<class T>(std::type_identity<T>) { multiply_floats<T>(task, alpha, beta); });
}

}  // namespace

KernelRows matmul_rows() {
  static constexpr KernelRow rows[] = {
      {"mv", kernel<&run_product>()},     {"mm", kernel<&run_product>()},      {"bmm", kernel<&run_product>()},
      {"ger", kernel<&run_product>()},    {"addmv", kernel<&run_product>()},   {"addmm", kernel<&run_product>()},
      {"addr", kernel<&run_product>()},   {"baddbmm", kernel<&run_product>()}, {"addbmm", kernel<&run_product>()},
      {"matmul", kernel<&run_product>()}, {"linear", kernel<&run_product>()},  {"linear_weight_grad", kernel<&run_product>()}};
  return rows;
}

}  // namespace mt::cuda
