// Products of small matrices by oneDNN. Each is one call on one thread: dividing a product can change its bits (it did for a fifth of the
// products that we divided along rows).
#include "engine/cpu/dnnl.h"

#if defined(MT_WITH_DNNL) && !defined(__SANITIZE_THREAD__)
#include <algorithm>
#include <optional>

#include "engine/core/fork.h"
#include "engine/core/parallel.h"
#include "engine/cpu/dnnl_library.h"

namespace mt::cpu {
namespace {

// A row-major matrix, or one whose transpose is row-major ('T').
struct Lines {
  char trans;
  int64_t ld;
};

std::optional<Lines> lines_of(const MatrixView<const float>& m) {
  if (m.col_stride == 1 && m.row_stride >= m.cols) return Lines{'N', m.row_stride};
  if (m.row_stride == 1 && m.col_stride >= m.rows) return Lines{'T', m.col_stride};
  return std::nullopt;
}

}  // namespace

bool dnnl_batched_gemm(int64_t batch, float alpha, MatrixView<const float> a, int64_t a_step, MatrixView<const float> b, int64_t b_step,
                       float beta, MatrixView<float> c, int64_t c_step) {
  const auto left = lines_of(a), right = lines_of(b), result = lines_of(c);
  if (!left || !right || !result || !has_dnnl() || !dnnl::library()->sgemm) return false;
  if (result->trans == 'T')
    return dnnl_batched_gemm(batch, alpha, b.transposed(), b_step, a.transposed(), a_step, beta, c.transposed(), c_step);
  constexpr int64_t grain = 1 << 18;  // multiplications per thread
  parallel_for(batch, std::max<int64_t>(1, grain / (c.rows * c.cols * a.cols)), [&](int64_t begin, int64_t end) {
    const KeepsFromForking library_has_locks;
    const OpenMpThreads alone(1);
    for (int64_t i = begin; i < end; ++i)
      dnnl::check(dnnl::library()->sgemm(left->trans, right->trans, c.rows, c.cols, a.cols, alpha, a.data + i * a_step, left->ld,
                                         b.data + i * b_step, right->ld, beta, c.data + i * c_step, result->ld));
  });
  return true;
}

}  // namespace mt::cpu

#else

namespace mt::cpu {

bool dnnl_batched_gemm(int64_t, float, MatrixView<const float>, int64_t, MatrixView<const float>, int64_t, float, MatrixView<float>,
                       int64_t) {
  return false;
}

}  // namespace mt::cpu
#endif
