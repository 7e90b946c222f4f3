// A tile register holds 16 rows of 64 bytes. A call multiplies 16 rows of x by up to 4 panels at a time, whose sums are 4 tile registers:
// each piece of 64 elements of the rows is read once. One instruction multiplies 16 x 64 by 64 x 16 elements, 16384 products, in 16 cycles.
#include "engine/cpu/int8_amx.h"

#if defined(__x86_64__) && defined(__linux__)
#define MT_WITH_AMX
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstring>

#include "engine/ops/int8.h"

namespace mt::cpu {

#ifdef MT_WITH_AMX

#define MT_AMX __attribute__((target("avx512f,avx512bw,avx512vl,amx-tile,amx-int8")))

namespace {

constexpr int64_t tile_rows = 16, tile_blocks = 16;  // blocks of 4 elements in a row of a tile register
constexpr int few_rows = 6;                          // which other instructions multiply as fast

// The sizes of the tile registers, in the form that LDTILECFG reads.
struct alignas(64) TileSizes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};

  void set(int tile, int64_t count, int64_t blocks) {
    rows[tile] = static_cast<uint8_t>(count);
    row_bytes[tile] = static_cast<uint16_t>(blocks * int8_depth);
  }
};
static_assert(sizeof(TileSizes) == 64);

// Registers 0 to 3 hold sums, 4 and 5 elements of x and of a panel, 6 and 7 those of the last, shorter piece.
MT_AMX void set_sizes(int64_t rows, int64_t rest) {
  TileSizes sizes;
  for (int tile = 0; tile < 4; ++tile) sizes.set(tile, rows, tile_blocks);
  sizes.set(4, rows, tile_blocks);
  sizes.set(5, tile_blocks, tile_blocks);
  if (rest > 0) {
    sizes.set(6, rows, rest);
    sizes.set(7, rest, tile_blocks);
  }
  _tile_loadconfig(&sizes);
}

// A piece of some rows: from its address on, at equal distances.
struct Piece {
  const void* from;
  int64_t step;  // bytes
};

// Copies the blocks from `first` on of all rows, which may come from several parts.
MT_AMX Piece copied(const Int8Tile& tile, int64_t row, int64_t rows, int64_t first, int64_t blocks, uint8_t* to) {
  for (int64_t r = 0; r < rows; ++r) {
    __m512i all = _mm512_setzero_si512();
    int64_t part = first / tile.blocks, block = first % tile.blocks;
    for (int64_t done = 0; done < blocks; ++part, block = 0) {
      const int64_t count = std::min(tile.blocks - block, blocks - done);
      const auto mask = static_cast<__mmask16>(((1U << count) - 1) << done);
      const auto* const from = static_cast<const uint8_t*>(tile.x[part * tile.x_step + row + r]);
      all = _mm512_mask_loadu_epi32(all, mask, from + (block - done) * int8_depth);
      done += count;
    }
    _mm512_storeu_si512(to + r * 64, all);
  }
  __asm__ volatile("" ::: "memory");  // the compiler doesn't know that tiles are loaded from there
  return {to, 64};
}

MT_AMX Piece piece_of(const Int8Tile& tile, int64_t row, int64_t rows, int64_t first, int64_t blocks, uint8_t* room) {
  const int64_t part = first / tile.blocks, block = first % tile.blocks;
  if (block + blocks > tile.blocks) return copied(tile, row, rows, first, blocks, room);
  const void* const* const x = tile.x + part * tile.x_step + row;
  const auto* const from = static_cast<const uint8_t*>(x[0]);
  const int64_t step = rows > 1 ? static_cast<const uint8_t*>(x[1]) - from : 64;
  bool is_regular = true;
  for (int64_t r = 2; r < rows; ++r) is_regular = is_regular && static_cast<const uint8_t*>(x[r]) == from + r * step;
  if (!is_regular) return copied(tile, row, rows, first, blocks, room);
  return {from + block * int8_depth, step};
}

// The sizes of the tile registers must be those of these rows.
template <int panels> MT_AMX void multiply_rows(const Int8Tile& tile, int64_t row, int64_t rows) {
  alignas(64) uint8_t room[tile_rows * 64];
  const int64_t blocks = tile.parts * tile.blocks, whole = blocks / tile_blocks * tile_blocks;
  _tile_zero(0);
  if constexpr (panels > 1) _tile_zero(1);
  if constexpr (panels > 2) _tile_zero(2);
  if constexpr (panels > 3) _tile_zero(3);
  const int8_t* w = tile.packed;
  for (int64_t first = 0; first < whole; first += tile_blocks, w += tile_blocks * int8_block) {
    const Piece x = piece_of(tile, row, rows, first, tile_blocks, room);
    _tile_loadd(4, x.from, x.step);
    _tile_loadd(5, w, int8_block);
    _tile_dpbusd(0, 4, 5);
    if constexpr (panels > 1) {
      _tile_loadd(5, w + tile.panel_step, int8_block);
      _tile_dpbusd(1, 4, 5);
    }
    if constexpr (panels > 2) {
      _tile_loadd(5, w + 2 * tile.panel_step, int8_block);
      _tile_dpbusd(2, 4, 5);
    }
    if constexpr (panels > 3) {
      _tile_loadd(5, w + 3 * tile.panel_step, int8_block);
      _tile_dpbusd(3, 4, 5);
    }
  }
  if (whole < blocks) {
    const Piece x = piece_of(tile, row, rows, whole, blocks - whole, room);
    _tile_loadd(6, x.from, x.step);
    _tile_loadd(7, w, int8_block);
    _tile_dpbusd(0, 6, 7);
    if constexpr (panels > 1) {
      _tile_loadd(7, w + tile.panel_step, int8_block);
      _tile_dpbusd(1, 6, 7);
    }
    if constexpr (panels > 2) {
      _tile_loadd(7, w + 2 * tile.panel_step, int8_block);
      _tile_dpbusd(2, 6, 7);
    }
    if constexpr (panels > 3) {
      _tile_loadd(7, w + 3 * tile.panel_step, int8_block);
      _tile_dpbusd(3, 6, 7);
    }
  }
  int32_t* const sums = tile.sums + row * tile.sums_step;
  const int64_t step = tile.sums_step * static_cast<int64_t>(sizeof(int32_t));
  _tile_stored(0, sums, step);
  if constexpr (panels > 1) _tile_stored(1, sums + int8_panel, step);
  if constexpr (panels > 2) _tile_stored(2, sums + 2 * int8_panel, step);
  if constexpr (panels > 3) _tile_stored(3, sums + 3 * int8_panel, step);
}

MT_AMX void multiply_some(int panels, const Int8Tile& tile, int64_t row, int64_t rows) {
  switch (panels) {
    case 1:
      return multiply_rows<1>(tile, row, rows);
    case 2:
      return multiply_rows<2>(tile, row, rows);
    case 3:
      return multiply_rows<3>(tile, row, rows);
    default:
      return multiply_rows<4>(tile, row, rows);
  }
}

}  // namespace

// The bits of AMX-TILE and AMX-INT8 in CPUID, and Linux's request for the state of tiles (XTILEDATA), without which they raise a signal.
bool has_int8_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d >> 24 & 3) != 3) return false;
  constexpr long request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

MT_AMX void multiply_amx(int rows, int panels, const Int8Tile& tile, void (*others)(int rows, int panels, const Int8Tile& tile)) {
  const int64_t rest = tile.parts * tile.blocks % tile_blocks;
  int64_t row = 0, set = 0;
  while (rows - row > few_rows) {
    const int64_t count = std::min(tile_rows, rows - row);
    if (count != set) set_sizes(count, rest);
    set = count;
    multiply_some(panels, tile, row, count);
    row += count;
  }
  if (set != 0) _tile_release();
  if (row == rows) return;
  Int8Tile last = tile;
  last.x += row;
  last.sums += row * tile.sums_step;
  others(static_cast<int>(rows - row), panels, last);
}

#else

bool has_int8_amx() { return false; }

void multiply_amx(int rows, int panels, const Int8Tile& tile, void (*others)(int rows, int panels, const Int8Tile& tile)) {
  others(rows, panels, tile);
}

#endif

}  // namespace mt::cpu
