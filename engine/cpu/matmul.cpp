// The CPU's kernels of matrix products: dtype and shape select one of blas.h's functions.
#include "engine/ops/matmul.h"
#include "engine/core/built.h"

#include <cstring>

#include "engine/cpu/blas.h"
#include "engine/cpu/complex_product.h"
#include "engine/cpu/iterate.h"
#include "engine/cpu/packed_product.h"
#include "engine/cpu/register.h"

namespace mt {
#include "engine/ops/matmul-inl.h"

namespace cpu {
namespace {

template <class T> Compute<T> factor(const Number& number) {
  const Value value = number;
  if constexpr (std::is_integral_v<T>)
    return value.type == Value::Type::integer ? static_cast<T>(value.integer) : element_from<T>(value.number);
  else
    return static_cast<Compute<T>>(value.as_double());
}

template <class T> MatrixView<T> view(const Matrices& m) {
  return {reinterpret_cast<T*>(m.data.data()), m.rows, m.cols, m.row_stride, m.col_stride};
}
template <class T> VectorView<T> vector(const Matrices& m) { return {reinterpret_cast<T*>(m.data.data()), m.rows, m.row_stride}; }

template <class T>
void multiply_run(int64_t batch, Compute<T> alpha, const Matrices& a, const Matrices& b, Compute<T> beta, const Matrices& c) {
  if (batch != 1) return batched_gemm<T>(batch, alpha, view<T>(a), a.step, view<T>(b), b.step, beta, view<T>(c), c.step);
  if (c.cols == 1) return gemv<T>(alpha, view<T>(a), vector<T>(b), beta, vector<T>(c));
  if (c.rows == 1) return gemv<T>(alpha, view<T>(b.transposed()), vector<T>(a.transposed()), beta, vector<T>(c.transposed()));
  if (a.cols == 1 && beta == 1) return ger<T>(alpha, vector<T>(a), vector<T>(b.transposed()), view<T>(c));
  gemm<T>(alpha, view<T>(a), view<T>(b), beta, view<T>(c));
}

template <class T> void multiply_batches(const ProductPlan& plan, const Geometry& batches) {
  iterate(batches, 0, batches.numel(), [&](std::byte** at, const int64_t* strides, int64_t n) {
    Matrices each[] = {plan.out, plan.a, plan.b};
    for (int k = 0; k < 3; ++k) {
      each[k].data = at[k];
      each[k].step = strides[k] / static_cast<int64_t>(sizeof(T));
    }
    multiply_run<T>(n, factor<T>(plan.alpha), each[1], each[2], factor<T>(plan.beta), each[0]);
  });
}

template <class T> void multiply(const ProductPlan& plan) {
  if (plan.batches) return multiply_batches<T>(plan, plan.batches);
  if (plan.bias != nullptr) {
    const auto row = static_cast<size_t>(plan.out.row_stride) * sizeof(T), bytes = static_cast<size_t>(plan.out.cols) * sizeof(T);
    std::byte* to = plan.out.data;
    for (int64_t i = 0; i < plan.out.rows; ++i, to += row) std::memcpy(to, plan.bias.data(), bytes);
  }
  multiply_run<T>(plan.batch, factor<T>(plan.alpha), plan.a, plan.b, factor<T>(plan.beta), plan.out);
}

using ProductFn = void (*)(const ProductPlan& plan);
constexpr auto products = by_dtype<ProductFn, any_number_dtypes>([]<class T>(std::type_identity<T>) -> ProductFn {
  if constexpr (is_complex<T>)
    return &multiply_complex<T>;
  else
    return &multiply<T>;
});

void run_product(const ProductPlan& plan, const std::array<ProductFn, dtype_count>& by_type) {
  by_type[static_cast<size_t>(plan.dtype)](plan);
}

template <class T> void multiply_vectors(const DotPlan& plan) {
  const auto all = [](const Tensor& t) { return VectorView<const T>{t.data<T>(), t.numel(), t.dim() == 1 ? t.stride(0) : 1}; };
  if constexpr (is_complex<T>)
    *plan.out.data<T>() = convert_element<T>(complex_dot<T>(all(plan.x), all(plan.y)));
  else
    *plan.out.data<T>() = convert_element<T>(dot<T>(all(plan.x), all(plan.y)));
}

using DotFn = void (*)(const DotPlan& plan);
constexpr auto dots = by_dtype<DotFn, any_number_dtypes>([]<class T>(std::type_identity<T>) { return &multiply_vectors<T>; });

void run_dot(const DotPlan& plan, const std::array<DotFn, dtype_count>& by_type) { by_type[static_cast<size_t>(plan.out.dtype())](plan); }

template <class Op> constexpr Kernel kernel_of() { return kernel<&run_product>(products); }
template <> constexpr Kernel kernel_of<Dot>() { return kernel<&run_dot>(dots); }
template <> constexpr Kernel kernel_of<LinearBiasGrad>() { return {}; }  // sums

template <class Op> constexpr AccumulateFn accumulate_of() {
  if constexpr (requires { Op::accumulate; })
    return Op::accumulate;
  else
    return nullptr;
}

template <class... Op> std::span<const Row> rows_of(List<Op...>) {
  static constexpr Row rows[] = {{&Op::decl, &Op::plan, kernel_of<Op>(), accumulate_of<Op>()}...};
  return built_rows<rows>();
}

}  // namespace

std::span<const Row> matmul_rows() {
  static const bool packs = (add_product_packing(kernel<&run_product>(products)), true);
  static_cast<void>(packs);
  return rows_of(MatmulOps());
}

}  // namespace cpu
}  // namespace mt
