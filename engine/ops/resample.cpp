#include "engine/ops/resample.h"

#include <array>
#include <string_view>

#include "engine/ops/images.h"

namespace mt {
namespace {

constexpr std::array<std::string_view, 6> filters = {"nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"};
constexpr std::array<std::string_view, 4> samplings = {"antialiased", "plain", "aligned", "corners"};

// The enumerator whose name is argument i.
template <class E, size_t n> E chosen(const Call& call, int i, const std::array<std::string_view, n>& names) {
  for (size_t k = 0; k < n; ++k) {
    if (call.string(i) == names[k]) return static_cast<E>(k);
  }
  std::string list;
  for (size_t k = 0; k < n; ++k) list.append(k == 0 ? "'" : k + 1 < n ? ", '" : " or '").append(names[k]).append("'");
  call.fail_at(i, "'", call.string(i), "', expected ", list);
}

// Both axes, the rows of x first; `height` and `width` are those of the result.
std::array<ResampleAxis, 2> read_axes(const Call& call, bool adjoint) {
  const Tensor& x = call.tensor(0);
  if (x.dim() < 2) call.fail_at<Status::shape>(0, x.sizes(), ", expected images (…, height, width)");
  const auto filter = chosen<Filter>(call, 3, filters);
  const auto sampling = chosen<Sampling>(call, 4, samplings);
  const bool is_any = filter == Filter::nearest || filter == Filter::bilinear || filter == Filter::bicubic;
  if (sampling != Sampling::antialiased && !is_any)
    call.fail_at(3, "'", call.string(3), "' with sampling '", call.string(4), "', expected 'nearest', 'bilinear' or 'bicubic'");
  std::array<ResampleAxis, 2> axes;
  for (int i = 0; i < 2; ++i) {
    const int64_t given = x.size(x.dim() - 2 + i), wanted = expect_at_least(call, 1 + i, 1);
    if (given < 1 || given > most_of_a_size) call.fail_at<Status::shape>(0, x.sizes(), ", expected images with elements");
    axes[static_cast<size_t>(i)] = {adjoint ? wanted : given, adjoint ? given : wanted, filter, sampling};
  }
  return axes;
}

// The dtype in which images of `dtype` are resampled.
DType inner_dtype(const Call& call, DType dtype, Filter filter) {
  if (filter == Filter::nearest || dtype == DType::uint8) return dtype;
  if (dtype == DType::boolean) call.fail_at<Status::dtype>(0, dtype, ", expected a tensor of numbers (or the filter 'nearest')");
  return is_float(dtype) && dtype != DType::float64 ? DType::float32 : DType::float64;
}

void plan_either(Call& call, bool adjoint) {
  const Tensor& x = call.tensor(0);
  const auto [down, across] = read_axes(call, adjoint);
  const DType inner = adjoint ? image_dtype(call, 0, x.dtype()) : inner_dtype(call, x.dtype(), down.filter);
  Shape sizes(x.sizes());
  sizes[x.dim() - 2] = adjoint ? down.in : down.out;
  sizes[x.dim() - 1] = adjoint ? across.in : across.out;
  const Tensor dense = contiguous(to_dtype(x, inner));
  const Tensor y = call.output(0, x.dtype(), sizes, {.dense = true, .computed_in = inner});
  if (y.numel() > 0) {
    const int64_t plane = sizes[x.dim() - 2] * sizes[x.dim() - 1];
    call.launch<ResamplePlan>(dense, y, y.numel() / plane, down, across, adjoint, Whole(x.dtype(), inner));
  }
  call.finish(0, y);
}

}  // namespace

void plan_resample(Call& call) { plan_either(call, false); }
void plan_resample_grad(Call& call) { plan_either(call, true); }

}  // namespace mt
