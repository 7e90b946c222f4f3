// Tiles of products of 8-bit integers by AMX, the matrix unit of Intel's processors since Sapphire Rapids.
#pragma once

#include "engine/cpu/int8_tiles.h"

namespace mt::cpu {

// The most rows of a call.
inline constexpr int most_amx_rows = 64;

// Whether the processor has it and the system lets this process use it.
bool has_int8_amx();

// `others` multiplies few rows.
void multiply_amx(int rows, int panels, const Int8Tile& tile, void (*others)(int rows, int panels, const Int8Tile& tile));

}  // namespace mt::cpu
