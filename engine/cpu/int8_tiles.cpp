// Kernels of tiles: sums stay in registers while a tile goes through the depth. AMX is in a file of its own. AVX512-VNNI and AVX-VNNI add
// four products of a row and a column per lane in one instruction. AVX2 and NEON have only 8-bit products that saturate, so they multiply
// 16-bit integers.
#include "engine/cpu/int8_tiles.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "engine/cpu/int8_amx.h"
#include "engine/ops/int8.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace mt::cpu {
namespace {

void multiply_plain(int rows, int panels, const Int8Tile& tile) {
  for (int r = 0; r < rows; ++r) {
    for (int p = 0; p < panels; ++p) {
      int32_t* const sums = tile.sums + r * tile.sums_step + p * int8_panel;
      std::array<int32_t, int8_panel> total{};
      const int8_t* w = tile.packed + p * tile.panel_step;
      for (int64_t part = 0; part < tile.parts; ++part) {
        const auto* x = static_cast<const uint8_t*>(tile.x[part * tile.x_step + r]);
        for (int64_t b = 0; b < tile.blocks; ++b, x += int8_depth, w += int8_block) {
          for (int64_t c = 0; c < int8_panel; ++c) {
            for (int64_t k = 0; k < int8_depth; ++k) total[static_cast<size_t>(c)] += x[k] * w[c * int8_depth + k];
          }
        }
      }
      std::memcpy(sums, total.data(), sizeof(total));
    }
  }
}

#if defined(__x86_64__)

#define MT_AVX512_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define MT_AVX_VNNI __attribute__((target("avx2,avxvnni")))
#define MT_AVX2 __attribute__((target("avx2")))

// The addresses of a part of all rows.
template <class X, int rows> void first_of_rows(const Int8Tile& tile, int64_t part, const X* (&x)[rows]) {
  for (int r = 0; r < rows; ++r) x[r] = static_cast<const X*>(tile.x[part * tile.x_step + r]);
}

inline int32_t load_four(const uint8_t* p) {
  int32_t four;
  std::memcpy(&four, p, sizeof four);
  return four;
}

template <int rows, int panels> MT_AVX512_VNNI void tile_avx512_vnni(const Int8Tile& tile) {
  __m512i sums[rows][panels];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < panels; ++p) sums[r][p] = _mm512_setzero_si512();
  }
  const int8_t* packed = tile.packed;
  for (int64_t part = 0; part < tile.parts; ++part) {
    const uint8_t* x[rows];
    first_of_rows(tile, part, x);
    for (int64_t b = 0; b < tile.blocks; ++b, packed += int8_block) {
      __m512i w[panels];
#pragma GCC unroll 8
      for (int p = 0; p < panels; ++p) w[p] = _mm512_loadu_si512(packed + p * tile.panel_step);
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) {
        const __m512i four = _mm512_set1_epi32(load_four(x[r] + b * int8_depth));
#pragma GCC unroll 8
        for (int p = 0; p < panels; ++p) sums[r][p] = _mm512_dpbusd_epi32(sums[r][p], four, w[p]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < panels; ++p) _mm512_storeu_si512(tile.sums + r * tile.sums_step + p * int8_panel, sums[r][p]);
  }
}

template <int rows> MT_AVX512_VNNI void rows_avx512_vnni(int panels, const Int8Tile& tile) {
  switch (panels) {
    case 1:
      return tile_avx512_vnni<rows, 1>(tile);
    case 2:
      return tile_avx512_vnni<rows, 2>(tile);
    case 3:
      return tile_avx512_vnni<rows, 3>(tile);
    default:
      return tile_avx512_vnni<rows, 4>(tile);
  }
}

void multiply_avx512_vnni(int rows, int panels, const Int8Tile& tile) {
  switch (rows) {
    case 1:
      return rows_avx512_vnni<1>(panels, tile);
    case 2:
      return rows_avx512_vnni<2>(panels, tile);
    case 3:
      return rows_avx512_vnni<3>(panels, tile);
    case 4:
      return rows_avx512_vnni<4>(panels, tile);
    case 5:
      return rows_avx512_vnni<5>(panels, tile);
    default:
      return rows_avx512_vnni<6>(panels, tile);
  }
}

void multiply_amx_or_vnni(int rows, int panels, const Int8Tile& tile) { multiply_amx(rows, panels, tile, multiply_avx512_vnni); }

template <int rows> MT_AVX_VNNI void tile_avx_vnni(const Int8Tile& tile) {
  __m256i sums[rows][2];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
  const auto* w = reinterpret_cast<const __m256i*>(tile.packed);
  for (int64_t part = 0; part < tile.parts; ++part) {
    const uint8_t* x[rows];
    first_of_rows(tile, part, x);
    for (int64_t b = 0; b < tile.blocks; ++b, w += 2) {
      const __m256i low = _mm256_loadu_si256(w), high = _mm256_loadu_si256(w + 1);
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) {
        const __m256i four = _mm256_set1_epi32(load_four(x[r] + b * int8_depth));
        sums[r][0] = _mm256_dpbusd_avx_epi32(sums[r][0], four, low);
        sums[r][1] = _mm256_dpbusd_avx_epi32(sums[r][1], four, high);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
    auto* const to = reinterpret_cast<__m256i*>(tile.sums + r * tile.sums_step);
    _mm256_storeu_si256(to, sums[r][0]);
    _mm256_storeu_si256(to + 1, sums[r][1]);
  }
}

// A lane has the sum of two products of a row and a column: 4 columns in a vector. The registers of AVX2 hold the sums of three rows.
template <int rows> MT_AVX2 void tile_avx2(const Int8Tile& tile) {
  __m256i sums[rows][4];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) sums[r][q] = _mm256_setzero_si256();
  }
  const int8_t* packed = tile.packed;
  for (int64_t part = 0; part < tile.parts; ++part) {
    const int16_t* x[rows];
    first_of_rows(tile, part, x);
    for (int64_t b = 0; b < tile.blocks; ++b, packed += int8_block) {
      __m256i four[rows];
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) {
        int64_t all;
        std::memcpy(&all, x[r] + b * int8_depth, sizeof all);
        four[r] = _mm256_set1_epi64x(all);
      }
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) {
        const __m256i w = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(packed + q * 16)));
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) sums[r][q] = _mm256_add_epi32(sums[r][q], _mm256_madd_epi16(four[r], w));
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      // Columns 0 1 4 5 | 2 3 6 7, and then in order.
      const __m256i pairs = _mm256_hadd_epi32(sums[r][2 * half], sums[r][2 * half + 1]);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(tile.sums + r * tile.sums_step + half * 8),
                          _mm256_permute4x64_epi64(pairs, _MM_SHUFFLE(3, 1, 2, 0)));
    }
  }
}

// AVX-VNNI: not every compiler that we support knows its name.
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1) != 0;
}

void multiply_avx_vnni(int rows, int, const Int8Tile& tile) {
  switch (rows) {
    case 1:
      return tile_avx_vnni<1>(tile);
    case 2:
      return tile_avx_vnni<2>(tile);
    case 3:
      return tile_avx_vnni<3>(tile);
    case 4:
      return tile_avx_vnni<4>(tile);
    case 5:
      return tile_avx_vnni<5>(tile);
    default:
      return tile_avx_vnni<6>(tile);
  }
}

void multiply_avx2(int rows, int, const Int8Tile& tile) {
  switch (rows) {
    case 1:
      return tile_avx2<1>(tile);
    case 2:
      return tile_avx2<2>(tile);
    default:
      return tile_avx2<3>(tile);
  }
}

#elif defined(__aarch64__)

// A vector has the sums of a column for four positions of the depth.
void multiply_neon(int, int, const Int8Tile& tile) {
  int32x4_t sums[int8_panel];
  for (auto& column : sums) column = vdupq_n_s32(0);
  const int8_t* w = tile.packed;
  for (int64_t i = 0; i < tile.parts * tile.blocks; ++i, w += int8_block) {
    const auto* const x = static_cast<const int16_t*>(tile.x[i / tile.blocks * tile.x_step]);
    const int16x4_t four = vld1_s16(x + i % tile.blocks * int8_depth);
    for (int q = 0; q < 4; ++q) {
      const int8x16_t all = vld1q_s8(w + q * 16);
      const int16x8_t low = vmovl_s8(vget_low_s8(all)), high = vmovl_s8(vget_high_s8(all));
      sums[4 * q] = vmlal_s16(sums[4 * q], vget_low_s16(low), four);
      sums[4 * q + 1] = vmlal_s16(sums[4 * q + 1], vget_high_s16(low), four);
      sums[4 * q + 2] = vmlal_s16(sums[4 * q + 2], vget_low_s16(high), four);
      sums[4 * q + 3] = vmlal_s16(sums[4 * q + 3], vget_high_s16(high), four);
    }
  }
  for (int q = 0; q < 4; ++q) {
    const int32x4_t low = vpaddq_s32(sums[4 * q], sums[4 * q + 1]), high = vpaddq_s32(sums[4 * q + 2], sums[4 * q + 3]);
    vst1q_s32(tile.sums + 4 * q, vpaddq_s32(low, high));
  }
}

#endif

constexpr Int8Kernel plain = {"plain", 1, 1, false, multiply_plain};

std::vector<Int8Kernel> present_kernels() {
  std::vector<Int8Kernel> list;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx512_vnni =
      __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (has_avx512_vnni && has_int8_amx()) list.push_back({"amx", most_amx_rows, 4, false, multiply_amx_or_vnni});
  if (has_avx512_vnni) list.push_back({"avx512_vnni", 6, 4, false, multiply_avx512_vnni});
  if (has_avx_vnni()) list.push_back({"avx_vnni", 6, 1, false, multiply_avx_vnni});
  if (__builtin_cpu_supports("avx2")) list.push_back({"avx2", 3, 1, true, multiply_avx2});
#elif defined(__aarch64__)
  list.push_back({"neon", 1, 1, true, multiply_neon});
#endif
  list.push_back(plain);
  return list;
}

const Int8Kernel& chosen_kernel() {
  const char* const variable = std::getenv("MOONTORCH_CPU");
  const std::string_view wanted = variable != nullptr ? variable : "";
  for (const Int8Kernel& kernel : int8_kernels()) {
    if (wanted == "sse4" && kernel.name != "plain") continue;
    if (wanted == "avx2" && kernel.name != "avx2" && kernel.name != "plain") continue;
    return kernel;
  }
  return plain;
}

}  // namespace

std::span<const Int8Kernel> int8_kernels() {
  static const std::vector<Int8Kernel> list = present_kernels();
  return list;
}

const Int8Kernel& int8_kernel() {
  static const Int8Kernel& kernel = chosen_kernel();
  return kernel;
}

}  // namespace mt::cpu
