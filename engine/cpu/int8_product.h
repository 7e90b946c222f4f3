// Products of rows of unsigned bytes and packed weights (engine/ops/int8.h).
#pragma once

#include <vector>

#include "engine/cpu/int8_tiles.h"
#include "engine/ops/int8.h"

namespace mt::cpu {

inline constexpr int64_t int8_block_rows = 64;  // rows that a thread multiplies at a time

// Where the rows of a block lie.
struct Int8Places {
  const uint8_t** parts;  // of part p of row r: parts[p * int8_block_rows + r]
  uint8_t* bytes;         // for rows that must be copied: `step` bytes for each of them, and int8_slack more
  int64_t step;
};

inline constexpr int64_t int8_slack = 16;

// The rows of a product.
class Int8Rows {
 public:
  // Sets the parts of `count` rows from `first` on.
  virtual void place(int64_t first, int64_t count, const Int8Places& places) const = 0;

 protected:
  ~Int8Rows() = default;
};

// Rows of a matrix, where they lie if their length is a multiple of 4 and they have no sign (`copies` is false).
class RowsOfMatrix final : public Int8Rows {
 public:
  RowsOfMatrix(const uint8_t* x, int64_t depth, int64_t row_step, bool copies, bool is_signed)
      : x_(x), depth_(depth), row_step_(row_step), copies_(copies), flip_(is_signed ? 128 : 0) {}

  void place(int64_t first, int64_t count, const Int8Places& places) const override;

 private:
  const uint8_t* x_;
  int64_t depth_, row_step_;
  bool copies_;
  uint8_t flip_;  // numbers with a sign get 128 added
};

// The products of rows, at addresses, and a packed weight of some panels, in steps that the kernel accepts.
void int8_multiply_rows(const Int8Kernel& kernel, int64_t rows, int64_t panels, const Int8Tile& tile);

// What follows the sums of `count` columns from `first` on, with room for whole panels.
struct PaddedScaling {
  PaddedScaling() = default;
  PaddedScaling(const Int8Scaling& s, int64_t first, int64_t count);

  std::vector<float> multiplier, bias;
  std::vector<int32_t> weight_zero;
  int32_t out_zero = 0;
};

struct Int8Product {
  int64_t rows, depth, columns;
  int64_t parts, part;  // parts of a row, each of which is adjacent in memory, and their bytes, a multiple of 4
  bool copies;          // whether the rows are copied
  const int8_t* packed;
  const float* ranges;  // the scale and the zero point of x for every `rows_per_range` rows, or null
  int64_t rows_per_range;
  int32_t zero;  // of all elements, without ranges
  DType dtype;
  std::byte* out;
  int64_t out_step;  // bytes
};

// The bytes of x: those of integers, or of floats, of which each of `rows` rows is quantised by its range.
const uint8_t* int8_bytes(const Int8Input& input, int64_t rows, int64_t depth);

// Threads share blocks of rows and columns of the result.
void int8_multiply(const Int8Product& product, const PaddedScaling& scaling, const Int8Rows& rows);

}  // namespace mt::cpu
