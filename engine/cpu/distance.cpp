// What the op in engine/ops/distance-inl.h does: differences are squared and summed as they are, in double for floats, since |a|^2 - 2ab +
// |b|^2 would cancel for near rows.
#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/distance-inl.h"

template <class T> using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

template <class T> Sum<T> squared_distance(const T* a, const T* b, int64_t n) {
  Sum<T> sums[4] = {};  // four chains, as an addition waits for the last one
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) {
      const auto d = convert_element<Sum<T>>(a[i + k]) - convert_element<Sum<T>>(b[i + k]);
      sums[k] += d * d;
    }
  }
  for (; i < n; ++i) {
    const auto d = convert_element<Sum<T>>(a[i]) - convert_element<Sum<T>>(b[i]);
    sums[0] += d * d;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void match(Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  for (int i = 0; i < 2; ++i) {
    if (call.tensor(i).dim() < 2) call.fail_at(i, call.tensor(i).sizes(), " came, a matrix was expected");
  }
  const int64_t m = a.size(0), k = b.size(0);
  int64_t n = 1, other = 1;
  for (int d = 1; d < a.dim(); ++d) n *= a.size(d);
  for (int d = 1; d < b.dim(); ++d) other *= b.size(d);
  if (n != other) call.fail_at(1, b.sizes(), " came, rows of ", n, " elements as in ", a.sizes(), " were expected");
  const DType dtype = promote(a.dtype(), b.dtype());
  if (dtype == DType::boolean) call.fail_at(0, dtype, " came, a tensor of numbers was expected");
  const Tensor x = contiguous(to_dtype(a, dtype)), y = contiguous(to_dtype(b, dtype));
  const Tensor out = call.output(0, dtype, Shape{m, k});
  const double gain = call.number(2);
  if (out.numel() > 0) {
    dispatch(dtype, [&]<class T>(std::type_identity<T>) {
      const Sum<T> factor = [gain] {
        if constexpr (std::is_integral_v<T>)
          return static_cast<uint64_t>(element_from<int64_t>(gain));
        else
          return gain;
      }();
      parallel_for(m, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, n * k)), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          T* row = out.data<T>() + i * out.stride(0);
          for (int64_t j = 0; j < k; ++j) {
            row[j * out.stride(1)] = convert_element<T>(factor * squared_distance(x.data<T>() + i * n, y.data<T>() + j * n, n));
          }
        }
      });
    });
  }
  call.finish(0, out);
}

constexpr Row rows[] = {{&Match::decl, &match}};

}  // namespace

std::span<const Row> distance_rows() { return rows; }

}  // namespace mt::cpu
