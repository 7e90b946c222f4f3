// Implements cuda/vendor/blas.h with cuBLAS. cuda/real/blas_bias.cpp adds biases with cuBLASLt.
#include "cuda/real/blas.h"

#include <cuda_runtime_api.h>

#include "cuda/kernels/addresses.h"
#include "cuda/real/handles.h"
#include "cuda/vendor/blas.h"

namespace mt::cuda {
namespace real {
namespace {

cublasHandle_t create() {
  cublasHandle_t handle = nullptr;
  check(cublas().cublasCreate_v2(&handle), "cublasCreate");
  // All partial sums of 16-bit floats are in float32.
  constexpr auto mode = static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  check(cublas().cublasSetMathMode(handle, mode), "cublasSetMathMode");
  return handle;
}

// The sizes that NVIDIA recommends.
size_t workspace_size(Stream stream) { return (properties_of(stream).major >= 9 ? size_t{32} : size_t{8}) << 20; }

}  // namespace

const Cublas& cublas() {
  static const Cublas& all = *new Cublas;
  return all;
}

void check(cublasStatus_t status, const char* function) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  raise(std::string(function) + " failed with cuBLAS's status " + std::to_string(static_cast<int>(status)));
}

CublasHandle::CublasHandle(Stream stream)
    : device_(stream.device), bytes_(workspace_size(stream)), workspace_(stream, static_cast<int64_t>(bytes_)) {
  cudaSetDevice(device_);
  handle_ = idle_handles<cublasHandle_t>().take(device_, create);
  cublas().cublasSetStream_v2(handle_, static_cast<cudaStream_t>(stream.handle));
  cublas().cublasSetWorkspace_v2(handle_, workspace_.address(), bytes_);  // after setting the stream, which resets the workspace
}

CublasHandle::~CublasHandle() { idle_handles<cublasHandle_t>().give_back(device_, handle_); }

}  // namespace real

namespace blas {
namespace {

using real::check;
using real::cublas;
using real::CublasHandle;

cudaDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return CUDA_R_64F;
    case DType::float16:
      return CUDA_R_16F;
    case DType::bfloat16:
      return CUDA_R_16BF;
    case DType::complex64:
      return CUDA_C_32F;
    case DType::complex128:
      return CUDA_C_64F;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type_of(DType dtype) {
  if (real_part_of(dtype) == DType::float64) return CUBLAS_COMPUTE_64F;
  return real_part_of(dtype) == DType::float32 && tf32_is_allowed() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

cublasOperation_t operation(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

// A factor in the type that the library expects: of real matrices it reads the real part alone.
class FactorFor {
 public:
  FactorFor(DType dtype, Factor value) : is_wide_(real_part_of(dtype) == DType::float64), wide_(value), single_(value) {}
  const void* data() const { return is_wide_ ? static_cast<const void*>(&wide_) : &single_; }

 private:
  const bool is_wide_;
  const Factor wide_;
  const Complex<float> single_;
};

// Solves small systems in one batched call, and large ones one by one.
template <class T, class F, class G> void solve(Stream stream, const TriangularSolve& s, F trsm, G trsm_batched) {
  const CublasHandle handle(stream);
  const int n = static_cast<int>(s.n), k = static_cast<int>(s.k);
  const cublasFillMode_t half = s.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const cublasDiagType_t diagonal = s.unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const T one = 1;
  auto* const a = static_cast<T*>(const_cast<void*>(s.a));
  auto* const x = static_cast<T*>(s.x);
  if (real::pays_batched(s.batch, s.n)) {
    const Addresses<T> all_a(stream, a, s.n * s.n, s.batch), all_x(stream, x, s.n * s.k, s.batch);
    count(Count::launch);
    check(trsm_batched(handle, CUBLAS_SIDE_LEFT, half, operation(s.transposed), diagonal, n, k, &one, all_a.data(), n, all_x.data(), n,
                       static_cast<int>(s.batch)),
          "cublasTrsmBatched");
    return;
  }
  count(Count::launch, static_cast<uint64_t>(s.batch));
  for (int64_t i = 0; i < s.batch; ++i) {
    check(trsm(handle, CUBLAS_SIDE_LEFT, half, operation(s.transposed), diagonal, n, k, &one, a + i * s.n * s.n, n, x + i * s.n * s.k, n),
          "cublasTrsm");
  }
}

}  // namespace

void multiply(Stream stream, const Product& p) {
  const CublasHandle handle(stream);
  const FactorFor alpha(p.dtype, p.alpha), beta(p.dtype, p.beta);
  const cudaDataType_t type = type_of(p.dtype);
  count(Count::launch);
  check(cublas().cublasGemmStridedBatchedEx_64(handle, operation(p.a.transposed), operation(p.b.transposed), p.m, p.n, p.k, alpha.data(),
                                               p.a.data, type, p.a.ld, p.a.step, p.b.data, type, p.b.ld, p.b.step, beta.data(), p.c, type,
                                               p.ldc, p.c_step, p.batch, compute_type_of(p.dtype), CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

void multiply_each(Stream stream, const Product& p, const ProductAddresses& addresses) {
  const CublasHandle handle(stream);
  const FactorFor alpha(p.dtype, p.alpha), beta(p.dtype, p.beta);
  const cudaDataType_t type = type_of(p.dtype);
  count(Count::launch);
  check(cublas().cublasGemmBatchedEx_64(handle, operation(p.a.transposed), operation(p.b.transposed), p.m, p.n, p.k, alpha.data(),
                                        addresses.a, type, p.a.ld, addresses.b, type, p.b.ld, beta.data(), addresses.c, type, p.ldc,
                                        p.batch, compute_type_of(p.dtype), CUBLAS_GEMM_DEFAULT),
        "cublasGemmBatchedEx");
}

void solve_triangular(Stream stream, const TriangularSolve& s) {
  if (s.dtype == DType::float32)
    solve<float>(stream, s, cublas().cublasStrsm_v2, cublas().cublasStrsmBatched);
  else
    solve<double>(stream, s, cublas().cublasDtrsm_v2, cublas().cublasDtrsmBatched);
}

}  // namespace blas
}  // namespace mt::cuda
