// AVX512-VBMI has an instruction that looks up 64 bytes in a table of 128. Without it bytes are looked up one by one.
#include "engine/cpu/int8_table.h"

#include <algorithm>

#include "engine/cpu/int8_tiles.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mt::cpu {
namespace {

void look_up_plain(const uint8_t* x, int64_t n, const uint8_t* table, uint8_t* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = table[x[i]];
}

#if defined(__x86_64__)

__attribute__((target("avx512f,avx512bw,avx512vbmi"))) void look_up_vbmi(const uint8_t* x, int64_t n, const uint8_t* table, uint8_t* to) {
  const __m512i first = _mm512_loadu_si512(table), second = _mm512_loadu_si512(table + 64), third = _mm512_loadu_si512(table + 128),
                fourth = _mm512_loadu_si512(table + 192);
  for (int64_t i = 0; i < n; i += 64) {
    const __mmask64 some = n - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (n - i)) - 1;
    const __m512i at = _mm512_maskz_loadu_epi8(some, x + i);
    const __m512i low = _mm512_permutex2var_epi8(first, at, second), high = _mm512_permutex2var_epi8(third, at, fourth);
    _mm512_mask_storeu_epi8(to + i, some, _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), low, high));
  }
}

using LookUp = void (*)(const uint8_t* x, int64_t n, const uint8_t* table, uint8_t* to);

LookUp chosen() {
  const auto name = int8_kernel().name;  // MOONTORCH_CPU may exclude AVX-512
  const bool is_allowed = name == "amx" || name == "avx512_vnni";
  return is_allowed && __builtin_cpu_supports("avx512vbmi") ? look_up_vbmi : look_up_plain;
}

#endif

}  // namespace

void int8_look_up(const uint8_t* x, int64_t n, const uint8_t* table, uint8_t* to) {
#if defined(__x86_64__)
  static const LookUp look_up = chosen();
  look_up(x, n, table, to);
#else
  look_up_plain(x, n, table, to);
#endif
}

}  // namespace mt::cpu
