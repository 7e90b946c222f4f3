// Shared code of the loops of all elementwise ops: contiguous rows go directly through a loop over contiguous runs, other rows through
// buffers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/dtype.h"
#include "engine/cpu/iterate.h"

namespace mt::cpu {

// A loop over n contiguous elements of the type of the computation. `streams`: writes the result with streaming stores.
using RunFn = void (*)(void* to, const void* const* operands, int64_t n, bool streams);

// Operands and types of such a loop; small enough for a register.
struct RunTypes {
  uint8_t count;  // of operands
  DType dtype;
  uint16_t scalars;         // a bit for each operand that is one element, of the type of the computation
  uint8_t element, stored;  // bytes of an element of an operand, and of the result
  bool buffered;            // the computation has another type
  bool mask;                // the result is 0 or 1

  // Whether results are real and operands complex.
  constexpr bool gives_real() const { return !mask && stored < element; }

  constexpr bool is_scalar(int k) const { return (scalars >> k & 1) != 0; }
  constexpr bool out_direct(const Rows& rows) const { return (!buffered || mask) && rows.strides[0] == stored; }
  constexpr bool direct(const Rows& rows, int k) const { return is_scalar(k) || (!buffered && rows.strides[k + 1] == element); }
  // Joins short rows that are adjacent in the result: adding a bias of 10 to 9000 rows takes 10 us instead of 39.
  constexpr bool joins(const Rows& rows) const {
    constexpr int64_t short_row = 64;
    return rows.count > 1 && rows.n < short_row && out_direct(rows) && rows.next[0] == rows.n * rows.strides[0];
  }
};

// Computes rows; `given` as for a LoopFn.
void run_rows(std::byte* const* pointers, const Rows& rows, RunFn run, RunTypes types, uint32_t given);

}  // namespace mt::cpu
