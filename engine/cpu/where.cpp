// Loops of the op in engine/ops/where-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/where.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <span>

#include "engine/core/built.h"
#include "engine/cpu/iterate.h"
#include "engine/cpu/streaming-inl.h"
#include "engine/ops/where.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "engine/ops/where-inl.h"

// n bytes of a mask as lanes of the elements' width.
template <class D> HWY_INLINE hn::Vec<D> widened(D d, const uint8_t* mask) {
  using Bits = hn::TFromD<D>;
  const hn::Rebind<uint8_t, D> bytes;
  if constexpr (sizeof(Bits) == 1) {
    return hn::LoadU(d, mask);
  } else if constexpr (sizeof(Bits) == 8) {
    return hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<uint32_t, D>(), hn::LoadU(bytes, mask)));
  } else {
    return hn::PromoteTo(d, hn::LoadU(bytes, mask));
  }
}

// Selects n contiguous elements; an operand that is `same` has one value for all of them.
template <class Bits, bool x_same, bool y_same>
void choose_run(Bits* out, const uint8_t* mask, const Bits* x, const Bits* y, int64_t n, bool streams) {
  const hn::ScalableTag<Bits> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const Bits one_x = *x, one_y = *y;
  const auto all_x = hn::Set(d, one_x), all_y = hn::Set(d, one_y);
  const bool streamed = streams && can_stream(d, out);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    if (streamed) {  // four streams are more than some processors predict
      constexpr int64_t ahead = 1024 / sizeof(Bits);
      hwy::Prefetch(mask + i + ahead);
      hwy::Prefetch(x + (x_same ? 0 : i + ahead));
      hwy::Prefetch(y + (y_same ? 0 : i + ahead));
    }
    const auto chosen = hn::Ne(widened(d, mask + i), hn::Zero(d));
    const auto a = x_same ? all_x : hn::LoadU(d, x + i), b = y_same ? all_y : hn::LoadU(d, y + i);
    if (streamed)
      hn::Stream(hn::IfThenElse(chosen, a, b), d, out + i);
    else
      hn::StoreU(hn::IfThenElse(chosen, a, b), d, out + i);
  }
  for (; i < n; ++i) out[i] = mask[i] != 0 ? (x_same ? one_x : x[i]) : (y_same ? one_y : y[i]);
}

template <class Bits> void choose(std::byte* const* pointers, const Rows& rows, bool large) {
  constexpr int64_t dense = sizeof(Bits);
  const bool streams = large && rows.n * dense >= least_streamed_run;
  const int64_t so = rows.strides[0], sm = rows.strides[1], sx = rows.strides[2], sy = rows.strides[3];
  bool plain = so == dense && sm == 1 && (sx == dense || sx == 0) && (sy == dense || sy == 0);
  using Run = void (*)(Bits*, const uint8_t*, const Bits*, const Bits*, int64_t, bool);
  Run run = nullptr;
  if constexpr (std::is_integral_v<Bits>)
    run = sx == 0 ? (sy == 0 ? &choose_run<Bits, true, true> : &choose_run<Bits, true, false>)
                  : (sy == 0 ? &choose_run<Bits, false, true> : &choose_run<Bits, false, false>);
  else  // vectors have no lanes of 16 bytes
    plain = false;
  for (int64_t row = 0; row < rows.count; ++row) {
    auto* const out = pointers[0] + row * rows.next[0];
    const auto* const mask = reinterpret_cast<const uint8_t*>(pointers[1] + row * rows.next[1]);
    const auto *const x = pointers[2] + row * rows.next[2], *const y = pointers[3] + row * rows.next[3];
    if (plain) {
      run(reinterpret_cast<Bits*>(out), mask, reinterpret_cast<const Bits*>(x), reinterpret_cast<const Bits*>(y), rows.n, streams);
      continue;
    }
    for (int64_t i = 0; i < rows.n; ++i) {
      *reinterpret_cast<Bits*>(out + i * so) = *reinterpret_cast<const Bits*>(mask[i * sm] != 0 ? x + i * sx : y + i * sy);
    }
  }
  if (streams) hwy::FlushStream();
}

void run_where(const WherePlan& plan) {
  const Geometry& it = plan.geometry;
  bool apart = true;
  for (int k = 1; k < it.operands(); ++k) apart = apart && it.data(k) != it.data(0);
  const bool large = apart && outgrows_caches(it.numel(), plan.width);
  by_width(plan.width, [&]<class Bits>(Bits) {
    parallel_iterate_rows(it, [&](std::byte** pointers, const Rows& rows) { choose<Bits>(pointers, rows, large); });
  });
}

constexpr Row rows[] = {{&Where::decl, &plan_where, kernel<&run_where>()}};

std::span<const Row> where_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(where_rows);
namespace cpu {
std::span<const Row> where_rows() { return HWY_DYNAMIC_DISPATCH(where_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
