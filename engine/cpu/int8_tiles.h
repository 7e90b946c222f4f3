// Tiles of products of 8-bit integers, one kernel for each instruction set. All have the same bits: sums are int32, and no product is
// rounded or saturated on the way.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mt::cpu {

// Rows of x (uint8) times panels of a packed weight (engine/ops/int8.h). A row consists of parts of blocks of 4 elements.
struct Int8Tile {
  const void* const* x;  // the first parts of the rows
  int64_t x_step;        // pointers from part to part
  int64_t parts, blocks;
  const int8_t* packed;
  int64_t panel_step;  // bytes from panel to panel
  int32_t* sums;       // 16 for each panel
  int64_t sums_step;   // elements from row to row
};

struct Int8Kernel {
  std::string_view name;
  int rows, panels;  // the most that one call accepts
  bool wide;         // elements of x have 16 bits
  void (*multiply)(int rows, int panels, const Int8Tile& tile);
};

// Those that the processor has, the fastest first.
std::span<const Int8Kernel> int8_kernels();

// The fastest one that MOONTORCH_CPU allows: avx2 and sse4 exclude the instructions for 8-bit products.
const Int8Kernel& int8_kernel();

}  // namespace mt::cpu
