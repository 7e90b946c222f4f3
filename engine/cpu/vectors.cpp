// What the op in engine/ops/vectors-inl.h does.
#include "engine/cpu/register.h"
#include "engine/cpu/slices.h"

namespace mt::cpu {
namespace {

#include "engine/ops/vectors-inl.h"

constexpr int64_t grain = 8192;  // products a thread gets at least

// a[i] b[j] - a[j] b[i]; integers wrap, 16-bit floats are rounded once.
template <class T> T minor(T ai, T bj, T aj, T bi) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(ai) * static_cast<uint64_t>(bj) - static_cast<uint64_t>(aj) * static_cast<uint64_t>(bi));
  else
    return T(static_cast<Compute<T>>(ai) * static_cast<Compute<T>>(bj) - static_cast<Compute<T>>(aj) * static_cast<Compute<T>>(bi));
}

int product_dim(const Call& call) {
  const Tensor& a = call.tensor(0);
  if (call.has(2)) {
    const int dim = call.dim(2, a.dim());
    if (a.size(dim) != 3) call.fail_at(2, "dimension ", Dim{dim}, " of ", a.sizes(), " came, one of size 3 was expected");
    return dim;
  }
  for (int d = 0; d < a.dim(); ++d) {
    if (a.size(d) == 3) return d;
  }
  call.fail_at(0, "no dimension of size 3 in a: ", a.sizes());
}

void cross(Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  if (!a.same_sizes(b)) call.fail_at(1, "inconsistent tensor sizes: ", b.sizes(), " came, ", a.sizes(), " was expected");
  const int dim = product_dim(call);
  const DType dtype = promote(a.dtype(), b.dtype());
  if (dtype == DType::boolean) call.fail_at(0, dtype, " came, a tensor of numbers was expected");
  const Tensor x = contiguous(to_dtype(a, dtype)), y = contiguous(to_dtype(b, dtype));
  const Tensor out = call.output(0, dtype, a.sizes());
  const Tensor dense = out.is_contiguous() ? out : Tensor::empty(dtype, a.sizes());
  if (x.numel() == 0) {
    call.finish(0, out);
    return;
  }
  const Slices slices(x, dim);
  dispatch(dtype, [&]<class T>(std::type_identity<T>) {
    parallel_for(slices.count(), grain, [&](int64_t begin, int64_t end) {
      const int64_t step = slices.inner;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = i / step * 3 * step + i % step;
        const T *u = x.data<T>() + at, *v = y.data<T>() + at;
        T* w = dense.data<T>() + at;
        w[0] = minor(u[step], v[2 * step], u[2 * step], v[step]);
        w[step] = minor(u[2 * step], v[0], u[0], v[2 * step]);
        w[2 * step] = minor(u[0], v[step], u[step], v[0]);
      }
    });
  });
  if (dense.storage() != out.storage()) copy(out, dense);
  call.finish(0, out);
}

constexpr Row rows[] = {{&Cross::decl, &cross}};

}  // namespace

std::span<const Row> vector_rows() { return rows; }

}  // namespace mt::cpu
