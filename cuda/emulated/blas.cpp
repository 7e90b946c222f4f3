// Implements cuda/vendor/blas.h on the host: plain loops in the stream's thread, with accumulator types like the GPU's libraries.
#include "cuda/vendor/blas.h"

#include <algorithm>
#include <vector>

#include "cuda/emulated/launch.h"
#include "cuda/runtime/context.h"
#include "engine/cpu/plain_lapack.h"

namespace mt::cuda::blas {
namespace {

template <class F> void by_inexact(DType dtype, F f) {
  dispatch<inexact_dtypes>(dtype, [&]<class T>(std::type_identity<T>) { f(std::type_identity<T>()); });
}

template <class T> T factor_as(Factor factor) {
  if constexpr (is_complex<T>)
    return T(factor);
  else
    return static_cast<T>(factor.re);
}

// The product of one matrix of the batch; addresses are as kernels use them.
template <class T> void multiply_one(const Product& p, const T* a, const T* b, T* c, const T* bias) {
  using Sum = Compute<T>;
  const auto m = static_cast<size_t>(p.m);
  std::vector<Sum> columns(m * static_cast<size_t>(p.k)), sums(m);  // a in column-major order, not transposed
  for (int64_t l = 0; l < p.k; ++l) {
    for (int64_t i = 0; i < p.m; ++i)
      columns[static_cast<size_t>(i + l * p.m)] = static_cast<Sum>(p.a.transposed ? a[l + i * p.a.ld] : a[i + l * p.a.ld]);
  }
  const auto alpha = factor_as<Sum>(p.alpha), beta = factor_as<Sum>(p.beta);
  for (int64_t j = 0; j < p.n; ++j) {
    std::fill(sums.begin(), sums.end(), Sum(0));
    for (int64_t l = 0; l < p.k; ++l) {
      const auto factor = static_cast<Sum>(p.b.transposed ? b[j + l * p.b.ld] : b[l + j * p.b.ld]);
      const Sum* const column = columns.data() + l * p.m;
      for (size_t i = 0; i < m; ++i) sums[i] += column[i] * factor;
    }
    T* const to = c + j * p.ldc;
    for (size_t i = 0; i < m; ++i) {
      Sum value = alpha * sums[i];
      if (bias != nullptr)
        value += static_cast<Sum>(bias[i]);
      else if (beta != 0)
        value += beta * static_cast<Sum>(to[i]);
      to[i] = static_cast<T>(value);
    }
  }
}

void enqueue_product(Stream stream, const Product& p, const void* bias) {
  count(Count::launch);
  by_inexact(p.dtype, [&]<class T>(std::type_identity<T>) {
    const T *const a = driver::reachable(static_cast<const T*>(p.a.data)), *const b = driver::reachable(static_cast<const T*>(p.b.data)),
                   *const start = driver::reachable(static_cast<const T*>(bias));
    T* const c = driver::reachable(static_cast<T*>(p.c));
    emulated::enqueue(stream, [=](emulated::Block&) {
      for (int64_t i = 0; i < p.batch; ++i) multiply_one(p, a + i * p.a.step, b + i * p.b.step, c + i * p.c_step, start);
    });
  });
}

}  // namespace

void multiply(Stream stream, const Product& product) { enqueue_product(stream, product, nullptr); }

bool multiply_with_bias(Stream stream, const Product& product, const void* bias) {
  if (!is_float(product.dtype) || reinterpret_cast<uintptr_t>(bias) % 16 != 0) return false;  // like cuBLASLt's kernels
  enqueue_product(stream, product, bias);
  return true;
}

void multiply_each(Stream stream, const Product& p, const ProductAddresses& addresses) {
  count(Count::launch);
  by_inexact(p.dtype, [&]<class T>(std::type_identity<T>) {
    emulated::enqueue(stream, [=](emulated::Block&) {
      for (int64_t i = 0; i < p.batch; ++i) {
        multiply_one<T>(p, static_cast<const T*>(addresses.a[i]), static_cast<const T*>(addresses.b[i]), static_cast<T*>(addresses.c[i]),
                        nullptr);
      }
    });
  });
}

void solve_triangular(Stream stream, const TriangularSolve& s) {
  count(Count::launch);
  const auto enqueue = [&]<class T>(std::type_identity<T>) {
    const T* const a = driver::reachable(static_cast<const T*>(s.a));
    T* const x = driver::reachable(static_cast<T*>(s.x));
    emulated::enqueue(stream, [=](emulated::Block&) {
      for (int64_t i = 0; i < s.batch; ++i)
        cpu::plain_lapack<T>().triangular_solve({s.upper, s.transposed, s.unit}, s.n, s.k, a + i * s.n * s.n, x + i * s.n * s.k);
    });
  };
  if (s.dtype == DType::float32)
    enqueue(std::type_identity<float>());
  else
    enqueue(std::type_identity<double>());
}

}  // namespace mt::cuda::blas
