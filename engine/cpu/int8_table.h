// Functions of bytes by tables.
#pragma once

#include <cstdint>

namespace mt::cpu {

// to[i] = table[x[i]] for n bytes and a table of 256.
void int8_look_up(const uint8_t* x, int64_t n, const uint8_t* table, uint8_t* to);

}  // namespace mt::cpu
