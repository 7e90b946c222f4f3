// The CPU's kernels of Fourier transforms.
#include "engine/cpu/fft.h"
#include "engine/core/built.h"

#include "engine/cpu/register.h"

namespace mt {
#include "engine/ops/fft-inl.h"

namespace cpu {
namespace {

void transform(const FourierPlan& plan) { (plan.x.dtype() == DType::float32 ? transform_floats : transform_doubles)(plan); }

constexpr Row rows[] = {{&FftC2C::decl, &plan_fft_c2c, kernel<&transform>()},
                        {&FftR2C::decl, &plan_fft_r2c, kernel<&transform>()},
                        {&FftC2R::decl, &plan_fft_c2r, kernel<&transform>()}};

}  // namespace

std::span<const Row> fft_rows() { return built_rows<rows>(); }

}  // namespace cpu
}  // namespace mt
