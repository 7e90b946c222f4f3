// The CPU's kernels of engine/ops/rearrange.h.
#include "engine/ops/rearrange.h"

#include <algorithm>
#include <cstring>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/copy.h"
#include "engine/cpu/register.h"
#include "engine/ops/view.h"

namespace mt::cpu {
namespace {

#include "engine/ops/rearrange-inl.h"

constexpr int64_t grain_bytes = 1 << 17;  // zeroed per thread at least

void run_triangle(const TrianglePlan& plan) {
  const Tensor& out = plan.out;
  const int64_t rows = out.size(out.dim() - 2), columns = out.size(out.dim() - 1), width = size_of(out.dtype());
  parallel_for(out.numel() / columns, std::max<int64_t>(1, grain_bytes / (columns * width)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      // The first column of the other side.
      const int64_t border = std::clamp<int64_t>(i % rows + plan.k + (plan.lower ? 1 : 0), 0, columns);
      std::byte* p = out.bytes() + i * columns * width;
      if (plan.lower)
        std::memset(p + border * width, 0, static_cast<size_t>((columns - border) * width));
      else
        std::memset(p, 0, static_cast<size_t>(border * width));
    }
  });
}

void run_flip(const FlipPlan& plan) { cpu::copy(plan.out, plan.x); }

void run_roll(const RollPlan& plan) {
  const Tensor &x = plan.x, &out = plan.out;
  const int64_t n = x.size(plan.dim), shift = plan.shift, rest = n - shift;
  constexpr int64_t few = 4096;  // faster than setting up two copies
  if (x.numel() > few || !x.is_contiguous() || !out.is_contiguous()) {
    cpu::copy(narrowed(out, plan.dim, shift, rest), narrowed(x, plan.dim, 0, rest));
    if (shift > 0) cpu::copy(narrowed(out, plan.dim, 0, shift), narrowed(x, plan.dim, rest, shift));
    return;
  }
  int64_t slice = size_of(x.dtype());
  for (int d = plan.dim + 1; d < x.dim(); ++d) slice *= x.size(d);
  const std::byte *from = x.bytes(), *const end = from + x.numel() * size_of(x.dtype());
  for (std::byte* to = out.bytes(); from < end; from += n * slice, to += n * slice) {
    std::memcpy(to + shift * slice, from, static_cast<size_t>(rest * slice));
    std::memcpy(to, from + rest * slice, static_cast<size_t>(shift * slice));
  }
}

constexpr Row rows[] = {{&Tril::decl, &plan_tril, kernel<&run_triangle>()},
                        {&Triu::decl, &plan_triu, kernel<&run_triangle>()},
                        {&Flip::decl, &plan_flip, kernel<&run_flip>()},
                        {&Roll::decl, &plan_roll, kernel<&run_roll>()}};

}  // namespace

std::span<const Row> rearrange_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
