// Shared access to cuBLAS in cuda/real.
#pragma once

#include <cublas_v2.h>

#include "cuda/real/library.h"
#include "cuda/runtime/driver.h"
#include "cuda/scratch.h"

namespace mt::cuda::real {

struct Cublas {
  Library library{"cuBLAS", {"libcublas.so.13", "libcublas.so.12"}};
  MT_LIBRARY_FUNCTION(library, cublasCreate_v2);
  MT_LIBRARY_FUNCTION(library, cublasSetMathMode);
  MT_LIBRARY_FUNCTION(library, cublasSetStream_v2);
  MT_LIBRARY_FUNCTION(library, cublasSetWorkspace_v2);
  MT_LIBRARY_FUNCTION(library, cublasGemmStridedBatchedEx_64);
  MT_LIBRARY_FUNCTION(library, cublasGemmBatchedEx_64);
  MT_LIBRARY_FUNCTION(library, cublasStrsm_v2);
  MT_LIBRARY_FUNCTION(library, cublasDtrsm_v2);
  MT_LIBRARY_FUNCTION(library, cublasStrsmBatched);
  MT_LIBRARY_FUNCTION(library, cublasDtrsmBatched);
  MT_LIBRARY_FUNCTION(library, cublasSgetrfBatched);
  MT_LIBRARY_FUNCTION(library, cublasDgetrfBatched);
  MT_LIBRARY_FUNCTION(library, cublasSgetrsBatched);
  MT_LIBRARY_FUNCTION(library, cublasDgetrsBatched);
};
const Cublas& cublas();
void check(cublasStatus_t status, const char* function);

// Whether a batched call for `count` n by n matrices, with a few blocks for each, is faster than one call per matrix.
inline bool pays_batched(int64_t count, int64_t n) { return count >= 4 && n <= 128; }

// The handle of one call. Its workspace is allocated in stream order, so that
// sums are the same in each run, and calls can be captured in a graph.
class CublasHandle {
 public:
  explicit CublasHandle(Stream stream);
  CublasHandle(const CublasHandle&) = delete;
  ~CublasHandle();
  operator cublasHandle_t() const { return handle_; }
  void* workspace() const { return workspace_.address(); }
  size_t workspace_bytes() const { return bytes_; }

 private:
  const int device_;
  const size_t bytes_;
  const Scratch<std::byte> workspace_;
  cublasHandle_t handle_;
};

}  // namespace mt::cuda::real
