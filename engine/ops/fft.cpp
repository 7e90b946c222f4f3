#include "engine/ops/fft.h"

#include <cmath>

#include "engine/ops/images.h"

namespace mt {
namespace {

constexpr int64_t most_points = int64_t{1} << 40;  // squares of twice as many points overflow int64

double scale_of(const Call& call, int arg, int64_t n) {
  const std::string_view norm = call.string(arg);
  if (norm == "none") return 1;
  if (norm == "by_n") return 1 / static_cast<double>(n);
  if (norm == "by_root_n") return 1 / std::sqrt(static_cast<double>(n));
  call.fail_at(arg, "'", norm, "', expected 'none', 'by_n' or 'by_root_n'");
}

// The dimension of a transform of complex numbers, which are pairs in the last dimension.
int complex_dim(const Call& call) {
  const Tensor& x = call.tensor(0);
  const int numbers = x.dim() - 1;
  if (numbers < 1 || x.size(numbers) != 2)
    call.fail_at<Status::shape>(0, x.sizes(), ", expected two dimensions or more, the last one of 2: real and imaginary parts");
  if (!call.has(1)) return numbers - 1;
  const int dim = call.dim(1, x.dim());
  if (dim == numbers) call.fail_at(1, Dim{dim}, ", which holds real and imaginary parts, expected a dimension before it");
  return dim;
}

// Sets the products of the sizes on either side of a dimension, without the dimension of pairs.
void count_slices(FourierPlan& plan, Sizes sizes, int dim, int numbers) {
  for (int d = 0; d < dim; ++d) plan.outer *= sizes[static_cast<size_t>(d)];
  for (int d = dim + 1; d < numbers; ++d) plan.inner *= sizes[static_cast<size_t>(d)];
}

int64_t points_along(const Call& call, const Tensor& x, int dim) {
  const int64_t n = x.size(dim);
  if (n < 1 || n > most_points) call.fail_at<Status::shape>(0, x.sizes(), ", expected one element or more along dimension ", Dim{dim});
  return n;
}

void run(Call& call, FourierKind kind, int dim, int numbers, int64_t n, Sizes sizes, bool inverse, bool onesided) {
  const DType dtype = call.tensor(0).dtype(), inner = image_dtype(call, 0, dtype);
  const double scale = scale_of(call, 2, n);
  const Tensor x = dense_argument(call, 0, inner);
  const Tensor out = call.output(0, dtype, sizes, {.dense = true, .computed_in = inner});
  FourierPlan plan{kind, x, out, 1, n, 1, inverse, onesided, scale};
  count_slices(plan, x.sizes(), dim, numbers);
  if (out.numel() > 0 && x.numel() > 0) call.launch(plan);
  call.finish(0, out);
}

}  // namespace

void plan_fft_c2c(Call& call) {
  const int dim = complex_dim(call);
  const Tensor& x = call.tensor(0);
  run(call, FourierKind::complex, dim, x.dim() - 1, points_along(call, x, dim), x.sizes(), !call.boolean(3), false);
}

void plan_fft_r2c(Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.dim() == 0) call.fail_at<Status::shape>(0, x.sizes(), ", expected one dimension or more");
  const int dim = call.dim(1, x.dim());
  const int64_t n = points_along(call, x, dim);
  const bool onesided = call.boolean(3);
  Shape sizes(x.sizes());
  if (onesided) sizes[dim] = n / 2 + 1;
  sizes.push(2);
  run(call, FourierKind::from_real, dim, x.dim(), n, sizes, false, onesided);
}

void plan_fft_c2r(Call& call) {
  const int dim = complex_dim(call);
  const Tensor& x = call.tensor(0);
  const int64_t frequencies = points_along(call, x, dim), n = call.has(3) ? call.integer(3) : std::max<int64_t>(1, 2 * (frequencies - 1));
  if (n < 1 || n > most_points) call.fail_at<Status::range>(3, n, ", expected a whole number of 1 or more");
  if (n / 2 + 1 != frequencies)
    call.fail_at<Status::shape>(0, x.sizes(), ", expected ", n / 2 + 1, " frequencies along dimension ", Dim{dim}, " for ", n,
                                " real numbers");
  Shape sizes(x.sizes());
  sizes[dim] = n;
  sizes.erase(x.dim() - 1);
  run(call, FourierKind::to_real, dim, x.dim() - 1, n, sizes, true, false);
}

}  // namespace mt
