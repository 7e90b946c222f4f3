// The matrix products' kernels on the CPU: a dtype and a shape choose one of blas.h's functions.
#include "engine/ops/matmul.h"

#include "engine/cpu/blas.h"
#include "engine/cpu/kernel_rows.h"
#include "engine/cpu/register.h"

namespace mt {
#include "engine/ops/matmul-inl.h"

namespace cpu {
namespace {

template <class T> Compute<T> factor(const Value& value) {
  if constexpr (std::is_integral_v<T>)
    return value.type == Value::Type::integer ? static_cast<T>(value.integer) : element_from<T>(value.number);
  else
    return static_cast<Compute<T>>(value.as_double());
}

template <class T> MatrixView<T> view(const Matrices& m) {
  return {reinterpret_cast<T*>(m.data), m.rows, m.cols, m.row_stride, m.col_stride};
}
template <class T> VectorView<T> vector(const Matrices& m) { return {reinterpret_cast<T*>(m.data), m.rows, m.row_stride}; }

template <class T>
void multiply_as(int64_t batch, Compute<T> alpha, const Matrices& a, const Matrices& b, Compute<T> beta, const Matrices& c) {
  if (batch != 1) return batched_gemm<T>(batch, alpha, view<T>(a), a.step, view<T>(b), b.step, beta, view<T>(c), c.step);
  if (c.cols == 1) return gemv<T>(alpha, view<T>(a), vector<T>(b), beta, vector<T>(c));
  if (c.rows == 1) return gemv<T>(alpha, view<T>(b.transposed()), vector<T>(a.transposed()), beta, vector<T>(c.transposed()));
  if (a.cols == 1 && beta == 1) return ger<T>(alpha, vector<T>(a), vector<T>(b.transposed()), view<T>(c));
  gemm<T>(alpha, view<T>(a), view<T>(b), beta, view<T>(c));
}

void multiply(DType dtype, int64_t batch, const Value& alpha, const Matrices& a, const Matrices& b, const Value& beta, const Matrices& c) {
  dispatch(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_same_v<T, bool>) multiply_as<T>(batch, factor<T>(alpha), a, b, factor<T>(beta), c);
  });
}

void dot_as_element(DType dtype, const Matrices& x, const Matrices& y, std::byte* result) {
  dispatch(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_same_v<T, bool>)
      *reinterpret_cast<T*>(result) = convert_element<T>(dot<T>(vector<const T>(x), vector<const T>(y)));
  });
}

constexpr MatmulKernels kernels{&multiply, &dot_as_element};

}  // namespace

std::span<const Row> matmul_rows() { return rows_with(&kernels, MatmulOps()); }

}  // namespace cpu
}  // namespace mt
