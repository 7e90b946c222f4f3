// Threads share blocks of 64 rows by 64 columns of the result, whose sums stay in the cache until they are scaled.
#include "engine/cpu/int8_product.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/cpu/int8_rows.h"
#include "engine/cpu/int8_tiles.h"

namespace mt::cpu {
namespace {

constexpr int64_t block_panels = 4, block_columns = block_panels * int8_panel;
constexpr int64_t worth_a_thread = 1 << 20;  // products

// Values of columns, with room for whole panels behind them.
template <class T> std::vector<T> padded_values(const Operand& values, int64_t first, int64_t count) {
  if (!values) return {};
  std::vector<T> padded(static_cast<size_t>(int8_panels(count) * int8_panel));
  std::copy_n(values.data<T>() + first, count, padded.begin());
  return padded;
}

// The values of the columns of a panel and those behind it, or null.
template <class T> const T* from_column(const std::vector<T>& values, int64_t column) {
  return values.empty() ? nullptr : values.data() + column;
}

// What a thread needs for a block of rows.
struct Block {
  std::vector<const uint8_t*> parts;
  std::vector<uint8_t> bytes;
  std::vector<int16_t> wide;
  std::vector<const void*> rows;  // what tiles read
  std::vector<Int8Scale> scales;
  std::vector<int32_t> centred_sums, products;
};

class Multiplication {
 public:
  Multiplication(const Int8Product& product, const PaddedScaling& scaling, const Int8Rows& rows)
      : p_(product),
        scaling_(scaling),
        rows_(rows),
        kernel_(int8_kernel()),
        step_(product.parts * product.part),
        room_(static_cast<size_t>(std::min(p_.rows, int8_block_rows))) {}

  void run() const {
    const int64_t panels = int8_panels(p_.columns), across = (panels + block_panels - 1) / block_panels;
    const int64_t down = (p_.rows + int8_block_rows - 1) / int8_block_rows;
    const int64_t of_block = std::min(p_.rows, int8_block_rows) * std::min(p_.columns, block_columns) * std::max<int64_t>(1, p_.depth);
    parallel_ranges(down * across, std::max<int64_t>(1, worth_a_thread / of_block), [&](int64_t begin, int64_t end) {
      Block b = new_block();
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i / across * int8_block_rows, count = std::min(int8_block_rows, p_.rows - first);
        const int64_t panel = i % across * block_panels;
        if (i == begin || panel == 0) place(first, count, b);
        multiply(first, count, panel, std::min(block_panels, panels - panel), b);
      }
    });
  }

 private:
  Block new_block() const {
    Block b;
    b.parts.resize(static_cast<size_t>(p_.parts * int8_block_rows));
    if (p_.copies) b.bytes.resize(static_cast<size_t>(step_) * room_ + int8_slack);
    if (kernel_.wide) b.wide.resize(static_cast<size_t>(step_) * room_);
    b.rows.resize(kernel_.wide ? int8_block_rows : b.parts.size());
    b.scales.resize(room_);
    if (!scaling_.weight_zero.empty()) b.centred_sums.resize(room_);
    b.products.resize(room_ * block_columns);
    return b;
  }

  void place(int64_t first, int64_t count, Block& b) const {
    rows_.place(first, count, {b.parts.data(), b.bytes.data(), step_});
    if (kernel_.wide)
      widen(count, b);
    else
      std::ranges::copy(b.parts, b.rows.begin());
    for (int64_t r = 0; r < count; ++r) {
      const float* const range = p_.ranges == nullptr ? nullptr : p_.ranges + (first + r) / p_.rows_per_range * 2;
      b.scales[static_cast<size_t>(r)] = range == nullptr ? Int8Scale{1.0F, p_.zero} : Int8Scale{range[0], static_cast<int32_t>(range[1])};
    }
    if (!scaling_.weight_zero.empty()) sum_rows(count, b);
  }

  void widen(int64_t count, Block& b) const {
    for (int64_t r = 0; r < count; ++r) {
      int16_t* to = b.wide.data() + r * step_;
      b.rows[static_cast<size_t>(r)] = to;
      for (int64_t part = 0; part < p_.parts; ++part)
        to = std::copy_n(b.parts[static_cast<size_t>(part * int8_block_rows + r)], p_.part, to);
    }
  }

  void sum_rows(int64_t count, Block& b) const {
    for (int64_t r = 0; r < count; ++r) {
      int64_t sum = -p_.depth * b.scales[static_cast<size_t>(r)].zero;
      for (int64_t part = 0; part < p_.parts; ++part) {
        const uint8_t* const from = b.parts[static_cast<size_t>(part * int8_block_rows + r)];
        const int64_t length = std::min(p_.part, p_.depth - part * p_.part);
        for (int64_t k = 0; k < length; ++k) sum += from[k];
      }
      b.centred_sums[static_cast<size_t>(r)] = static_cast<int32_t>(sum);
    }
  }

  void multiply(int64_t first, int64_t count, int64_t panel, int64_t panels, Block& b) const {
    const int64_t blocks = int8_blocks(p_.depth), bytes = int8_panel_bytes(p_.depth), column = panel * int8_panel;
    const int8_t* const packed = p_.packed + panel * bytes;
    const int64_t parts = kernel_.wide ? 1 : p_.parts;
    int8_multiply_rows(kernel_, count, panels,
                       {b.rows.data(), int8_block_rows, parts, blocks / parts, packed, bytes, b.products.data(), block_columns});
    int8_requantize(
        {count, std::min(panels * int8_panel, p_.columns - column), b.products.data(), block_columns, packed + blocks * int8_block, bytes,
         b.scales.data(), p_.ranges != nullptr, b.centred_sums.data(), from_column(scaling_.multiplier, column),
         from_column(scaling_.bias, column), from_column(scaling_.weight_zero, column), scaling_.out_zero, p_.dtype, p_.out_step},
        p_.out + first * p_.out_step + column * size_of(p_.dtype));
  }

  const Int8Product& p_;
  const PaddedScaling& scaling_;
  const Int8Rows& rows_;
  const Int8Kernel& kernel_;
  int64_t step_;
  size_t room_;
};

}  // namespace

void RowsOfMatrix::place(int64_t first, int64_t count, const Int8Places& places) const {
  for (int64_t r = 0; r < count; ++r) {
    const uint8_t* const from = x_ + (first + r) * row_step_;
    uint8_t* const to = places.bytes + r * places.step;
    places.parts[r] = copies_ ? to : from;
    if (!copies_) continue;
    for (int64_t k = 0; k < depth_; ++k) to[k] = from[k] ^ flip_;
    std::fill(to + depth_, to + places.step, uint8_t{0});
  }
}

void int8_multiply_rows(const Int8Kernel& kernel, int64_t rows, int64_t panels, const Int8Tile& tile) {
  for (int64_t p = 0; p < panels; p += kernel.panels) {
    const auto some = static_cast<int>(std::min<int64_t>(kernel.panels, panels - p));
    for (int64_t r = 0; r < rows; r += kernel.rows) {
      Int8Tile part = tile;
      part.x += r;
      part.packed += p * tile.panel_step;
      part.sums += r * tile.sums_step + p * int8_panel;
      kernel.multiply(static_cast<int>(std::min<int64_t>(kernel.rows, rows - r)), some, part);
    }
  }
}

PaddedScaling::PaddedScaling(const Int8Scaling& s, int64_t first, int64_t count)
    : multiplier(padded_values<float>(s.multiplier, first, count)),
      bias(padded_values<float>(s.bias, first, count)),
      weight_zero(padded_values<int32_t>(s.weight_zero, first, count)),
      out_zero(static_cast<int32_t>(s.out_zero)) {}

const uint8_t* int8_bytes(const Int8Input& input, int64_t rows, int64_t depth) {
  if (!input.ranges) return reinterpret_cast<const uint8_t*>(input.x.data<std::byte>());
  const float* const x = input.x.data<float>();
  float* const ranges = input.ranges.data<float>();
  uint8_t* const to = input.quantized.data<uint8_t>();
  parallel_for(rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, depth)), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const Int8Scale scale = int8_range(x + r * depth, depth);
      ranges[2 * r] = scale.scale;
      ranges[2 * r + 1] = static_cast<float>(scale.zero);
      int8_quantize(x + r * depth, depth, scale, DType::uint8, to + r * depth);
    }
  });
  return to;
}

void int8_multiply(const Int8Product& product, const PaddedScaling& scaling, const Int8Rows& rows) {
  Multiplication(product, scaling, rows).run();
}

}  // namespace mt::cpu
