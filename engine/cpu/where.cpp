// Loops of the op in engine/ops/where-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/where.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times
#include <hwy/highway.h>

#include <span>

#include "engine/cpu/past_caches-inl.h"
#include "engine/ops/where.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/where-inl.h"

// n elements that follow each other; an operand that is `same` has one value for all of them. The compiler makes vectors of it.
template <class Bits, bool x_same, bool y_same> void choose_run(Bits* out, const uint8_t* mask, const Bits* x, const Bits* y, int64_t n) {
  const Bits one_x = *x, one_y = *y;
  for (int64_t i = 0; i < n; ++i) {
    const Bits a = x_same ? one_x : x[i], b = y_same ? one_y : y[i];
    out[i] = mask[i] != 0 ? a : b;
  }
}

template <class Bits> void choose(std::byte* const* pointers, const Rows& rows, bool past_caches) {
  constexpr int64_t dense = sizeof(Bits), block = 512;
  const int64_t so = rows.strides[0], sm = rows.strides[1], sx = rows.strides[2], sy = rows.strides[3];
  const bool plain = so == dense && sm == 1 && (sx == dense || sx == 0) && (sy == dense || sy == 0);
  const auto run = sx == 0 ? (sy == 0 ? &choose_run<Bits, true, true> : &choose_run<Bits, true, false>)
                           : (sy == 0 ? &choose_run<Bits, false, true> : &choose_run<Bits, false, false>);
  for (int64_t row = 0; row < rows.count; ++row) {
    auto* const out = pointers[0] + row * rows.next[0];
    const auto* const mask = reinterpret_cast<const uint8_t*>(pointers[1] + row * rows.next[1]);
    const auto *const x = pointers[2] + row * rows.next[2], *const y = pointers[3] + row * rows.next[3];
    if (plain && past_caches && rows.n >= block) {
      Bits chosen[block];
      for (int64_t done = 0; done < rows.n; done += block) {
        const int64_t m = std::min(block, rows.n - done);
        if (rows.n - done >= 2 * block) {
          prefetch(mask + done + block, block);
          if (sx != 0) prefetch(x + (done + block) * sx, block * dense);
          if (sy != 0) prefetch(y + (done + block) * sy, block * dense);
        }
        run(chosen, mask + done, reinterpret_cast<const Bits*>(x + done * sx), reinterpret_cast<const Bits*>(y + done * sy), m);
        write_past_caches(out + done * dense, chosen, static_cast<size_t>(m * dense));
      }
      continue;
    }
    if (plain) {
      run(reinterpret_cast<Bits*>(out), mask, reinterpret_cast<const Bits*>(x), reinterpret_cast<const Bits*>(y), rows.n);
      continue;
    }
    for (int64_t i = 0; i < rows.n; ++i) {
      *reinterpret_cast<Bits*>(out + i * so) = *reinterpret_cast<const Bits*>(mask[i * sm] != 0 ? x + i * sx : y + i * sy);
    }
  }
  if (past_caches) hwy::FlushStream();
}

constexpr ChooseLoops loops{&choose<uint8_t>, &choose<uint16_t>, &choose<uint32_t>, &choose<uint64_t>};
constexpr Row rows[] = {{&Where::decl, &run_where, &loops}};

std::span<const Row> where_rows() { return rows; }

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
