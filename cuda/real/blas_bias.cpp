// Products with bias in one launch, with cuBLASLt. Its heuristics choose a kernel, and the choice is cached.
#include <cublasLt.h>

#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "cuda/real/blas.h"
#include "cuda/vendor/blas.h"

namespace mt::cuda::blas {
namespace {

using real::check;

struct CublasLt {
  Library library{"cuBLASLt", {"libcublasLt.so.13", "libcublasLt.so.12"}};
  MT_LIBRARY_FUNCTION(library, cublasLtMatmul);
  MT_LIBRARY_FUNCTION(library, cublasLtMatmulAlgoGetHeuristic);
  MT_LIBRARY_FUNCTION(library, cublasLtMatmulDescInit_internal);
  MT_LIBRARY_FUNCTION(library, cublasLtMatmulDescSetAttribute);
  MT_LIBRARY_FUNCTION(library, cublasLtMatrixLayoutInit_internal);
  MT_LIBRARY_FUNCTION(library, cublasLtMatmulPreferenceInit_internal);
  MT_LIBRARY_FUNCTION(library, cublasLtMatmulPreferenceSetAttribute);
};
const CublasLt& lt() {
  static const CublasLt& all = *new CublasLt;
  return all;
}

struct Types {
  cudaDataType_t element, scale;
  cublasComputeType_t compute;
};
Types types_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case DType::float16:
      return {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::bfloat16:
      return {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    default:
      return {CUDA_R_32F, CUDA_R_32F, tf32_is_allowed() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
  }
}

// The largest power of 2, up to 256, that divides an address.
uint32_t alignment_of(const void* address) {
  const auto place = reinterpret_cast<uintptr_t>(address) | 256;
  return static_cast<uint32_t>(place & (~place + 1));
}

// The description of a product for cuBLASLt.
struct Description {
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatrixLayoutOpaque_t a, b, c;

  Description(const Product& p, const void* bias, const Types& types) {
    check(lt().cublasLtMatmulDescInit_internal(&product, sizeof product, types.compute, types.scale), "cublasLtMatmulDescInit");
    set(CUBLASLT_MATMUL_DESC_TRANSA, p.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    layout(a, types, p.a.transposed, p.m, p.k, p.a.ld);
    layout(b, types, p.b.transposed, p.k, p.n, p.b.ld);
    layout(c, types, false, p.m, p.n, p.ldc);
  }

 private:
  template <class V> void set(cublasLtMatmulDescAttributes_t attribute, const V& value) {
    check(lt().cublasLtMatmulDescSetAttribute(&product, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  }
  static void layout(cublasLtMatrixLayoutOpaque_t& to, const Types& types, bool transposed, int64_t rows, int64_t cols, int64_t ld) {
    check(lt().cublasLtMatrixLayoutInit_internal(&to, sizeof to, types.element, static_cast<uint64_t>(transposed ? cols : rows),
                                                 static_cast<uint64_t>(transposed ? rows : cols), ld),
          "cublasLtMatrixLayoutInit");
  }
};

struct Preference {
  cublasLtMatmulPreferenceOpaque_t all;

  explicit Preference(uint64_t workspace_bytes) {
    check(lt().cublasLtMatmulPreferenceInit_internal(&all, sizeof all), "cublasLtMatmulPreferenceInit");
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes);
    // Partial sums are added in the type in which they are computed.
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  }
  template <class V> void set(cublasLtMatmulPreferenceAttributes_t attribute, const V& value) {
    check(lt().cublasLtMatmulPreferenceSetAttribute(&all, attribute, &value, sizeof value), "cublasLtMatmulPreferenceSetAttribute");
  }
};

// All parameters that determine the choice of a kernel.
using Key = std::tuple<int, DType, cublasComputeType_t, int64_t, int64_t, int64_t, bool, bool, int64_t, int64_t, int64_t, uint32_t,
                       uint32_t, uint32_t>;
using Choice = std::optional<cublasLtMatmulAlgo_t>;

// A cache of choices. Each length of a sequence has another key, so its size is limited.
class Choices {
 public:
  template <class F> Choice find(const Key& key, F choose) {
    const std::lock_guard guard(lock_);
    if (const auto known = all_.find(key); known != all_.end()) return known->second;
    if (all_.size() >= most) all_.clear();
    return all_[key] = choose();
  }

 private:
  static constexpr size_t most = 4096;
  std::mutex lock_;
  std::map<Key, Choice> all_;
};
Choices& choices() {
  static Choices& all = *new Choices;
  return all;
}

}  // namespace

bool multiply_with_bias(Stream stream, const Product& p, const void* bias) {
  const uint32_t alignment_a = alignment_of(p.a.data), alignment_b = alignment_of(p.b.data), alignment_c = alignment_of(p.c);
  if (!is_float(p.dtype) || alignment_of(bias) < 16) return false;
  const Types types = types_of(p.dtype);
  const real::CublasHandle cublas(stream);
  const auto handle = reinterpret_cast<cublasLtHandle_t>(static_cast<cublasHandle_t>(cublas));
  Description description(p, bias, types);
  const Key key(stream.device, p.dtype, types.compute, p.m, p.n, p.k, p.a.transposed, p.b.transposed, p.a.ld, p.b.ld, p.ldc, alignment_a,
                alignment_b, alignment_c);
  const Choice choice = choices().find(key, [&]() -> Choice {
    Preference preference(cublas.workspace_bytes());
    preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_a);
    preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_b);
    preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_c);
    preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_c);
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    const cublasStatus_t status = lt().cublasLtMatmulAlgoGetHeuristic(handle, &description.product, &description.a, &description.b,
                                                                      &description.c, &description.c, &preference.all, 1, &best, &found);
    if (status != CUBLAS_STATUS_SUCCESS || found == 0) return std::nullopt;
    return best.algo;
  });
  if (!choice) return false;
  const double alpha_wide = p.alpha.re, zero_wide = 0;
  const auto alpha_single = static_cast<float>(p.alpha.re), zero_single = 0.0F;
  const bool wide = p.dtype == DType::float64;
  count(Count::launch);
  check(lt().cublasLtMatmul(handle, &description.product, wide ? static_cast<const void*>(&alpha_wide) : &alpha_single, p.a.data,
                            &description.a, p.b.data, &description.b, wide ? static_cast<const void*>(&zero_wide) : &zero_single, p.c,
                            &description.c, p.c, &description.c, &*choice, cublas.workspace(), cublas.workspace_bytes(),
                            static_cast<cudaStream_t>(stream.handle)),
        "cublasLtMatmul");
  return true;
}

}  // namespace mt::cuda::blas
