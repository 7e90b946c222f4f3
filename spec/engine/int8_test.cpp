// Kernels of products of 8-bit integers: those of every instruction set of this processor against plain sums in int64.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include "engine/cpu/int8_rows.h"
#include "engine/cpu/int8_tiles.h"
#include "engine/ops/int8.h"

namespace mt {
namespace {

struct Operands {
  int64_t rows, blocks, panels;
  std::vector<uint8_t> x;
  std::vector<int8_t> packed;

  int64_t depth() const { return blocks * int8_depth; }
  int64_t panel_bytes() const { return (blocks + 1) * int8_block; }
  int64_t sum(int64_t row, int64_t column) const {
    const int8_t* const panel = packed.data() + column / int8_panel * panel_bytes();
    int64_t total = 0;
    for (int64_t k = 0; k < depth(); ++k)
      total += int64_t{x[static_cast<size_t>(row * depth() + k)]} *
               panel[k / int8_depth * int8_block + column % int8_panel * int8_depth + k % int8_depth];
    return total;
  }
};

template <class X, class W> Operands operands(int64_t rows, int64_t blocks, int64_t panels, X x, W w) {
  Operands o{rows, blocks, panels, {}, {}};
  o.x.resize(static_cast<size_t>(rows * o.depth()));
  o.packed.resize(static_cast<size_t>(panels * o.panel_bytes()));
  for (uint8_t& v : o.x) v = static_cast<uint8_t>(x());
  for (int8_t& v : o.packed) v = static_cast<int8_t>(w());
  return o;
}

// Runs a kernel with rows in `parts` parts, which lie in memory in the opposite order.
void check_kernel(const cpu::Int8Kernel& kernel, const Operands& o, int64_t parts = 1) {
  const int64_t part = o.depth() / parts, columns = o.panels * int8_panel;
  std::vector<uint8_t> bytes;
  for (int64_t p = parts; p-- > 0;) {
    for (int64_t r = 0; r < o.rows; ++r) {
      const auto from = o.x.begin() + r * o.depth() + p * part;
      bytes.insert(bytes.end(), from, from + part);
    }
  }
  const std::vector<int16_t> wide(bytes.begin(), bytes.end());
  std::vector<const void*> places;
  for (int64_t p = 0; p < parts; ++p) {
    for (int64_t r = 0; r < o.rows; ++r) {
      const int64_t at = ((parts - 1 - p) * o.rows + r) * part;
      places.push_back(kernel.wide ? static_cast<const void*>(wide.data() + at) : bytes.data() + at);
    }
  }
  std::vector<int32_t> sums(static_cast<size_t>(o.rows * columns), -1);
  kernel.multiply(static_cast<int>(o.rows), static_cast<int>(o.panels),
                  {places.data(), o.rows, parts, o.blocks / parts, o.packed.data(), o.panel_bytes(), sums.data(), columns});
  for (int64_t r = 0; r < o.rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) REQUIRE(sums[static_cast<size_t>(r * columns + c)] == o.sum(r, c));
  }
}

TEST_CASE("int8: tiles of every instruction set have exact sums") {
  std::mt19937 random(7);
  for (const cpu::Int8Kernel& kernel : cpu::int8_kernels()) {
    CAPTURE(kernel.name);
    for (int rows = 1; rows <= kernel.rows; ++rows) {
      for (int panels = 1; panels <= kernel.panels; ++panels) {
        for (const int64_t blocks : {0, 1, 2, 37, 36}) {
          check_kernel(kernel, operands(
                                   rows, blocks, panels, [&] { return random(); }, [&] { return random(); }));
          if (blocks == 36)
            check_kernel(kernel,
                         operands(
                             rows, blocks, panels, [&] { return random(); }, [&] { return random(); }),
                         9);
          // Pairs of such products exceed 16 bits.
          check_kernel(kernel, operands(
                                   rows, blocks, panels, [] { return 255; }, [] { return -128; }));
          check_kernel(kernel, operands(
                                   rows, blocks, panels, [] { return 255; }, [] { return 127; }));
        }
      }
    }
  }
}

TEST_CASE("int8: the deepest sums fit in an int32") {
  for (const cpu::Int8Kernel& kernel : cpu::int8_kernels()) {
    CAPTURE(kernel.name);
    check_kernel(kernel, operands(
                             1, most_int8_depth / int8_depth, 1, [] { return 255; }, [] { return -128; }));
  }
}

TEST_CASE("int8: there is always a plain kernel, and the chosen one is in the list") {
  const auto kernels = cpu::int8_kernels();
  REQUIRE(!kernels.empty());
  CHECK(kernels.back().name == "plain");
  bool found = false;
  for (const cpu::Int8Kernel& kernel : kernels) found = found || kernel.name == cpu::int8_kernel().name;
  CHECK(found);
}

// What becomes of a sum, one operation after the other.
template <class T> T requantized(const cpu::Int8Sums& s, int64_t row, int64_t column) {
  const auto* const weight_sums = reinterpret_cast<const int32_t*>(s.weight_sums + column / int8_panel * s.panel_step);
  const int64_t sum = s.products[row * s.products_step + column] - int64_t{s.scales[row].zero} * weight_sums[column % int8_panel] -
                      int64_t{s.centred_sums[row]} * s.weight_zero[column];
  const float factor = s.scales[row].scale * s.multiplier[column], product = static_cast<float>(sum) * factor;
  const float v = product + s.bias[column];
  if constexpr (std::is_same_v<T, float>) return v;
  const double rounded = std::nearbyint(static_cast<double>(v)) + s.out_zero;
  return static_cast<T>(std::clamp<double>(rounded, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

template <class T> void check_requantized(cpu::Int8Sums s) {
  s.dtype = dtype_of<T>;
  s.out_step = s.columns * static_cast<int64_t>(sizeof(T));
  std::vector<T> got(static_cast<size_t>(s.rows * s.columns));
  cpu::int8_requantize(s, reinterpret_cast<std::byte*>(got.data()));
  for (int64_t r = 0; r < s.rows; ++r) {
    for (int64_t c = 0; c < s.columns; ++c) REQUIRE(got[static_cast<size_t>(r * s.columns + c)] == requantized<T>(s, r, c));
  }
}

TEST_CASE("int8: what follows sums has the bits of single operations") {
  std::mt19937 random(9);
  std::uniform_real_distribution<float> real(-1, 1);
  constexpr int64_t rows = 7, panels = 3, step = panels * int8_panel;
  std::vector<int32_t> products(rows * step), centred(rows), weight_zero(step), weight_sums(panels * int8_panel);
  std::vector<float> multiplier(step), bias(step);
  std::vector<cpu::Int8Scale> scales(rows);
  for (int32_t& v : products) v = static_cast<int32_t>(random() % 2000001) - 1000000;
  for (int32_t& v : centred) v = static_cast<int32_t>(random() % 2001) - 1000;
  for (int32_t& v : weight_zero) v = static_cast<int32_t>(random() % 256) - 128;
  for (int32_t& v : weight_sums) v = static_cast<int32_t>(random() % 20001) - 10000;
  for (float& v : multiplier) v = real(random) * 1e-3F;
  for (float& v : bias) v = real(random) * 50;
  for (cpu::Int8Scale& v : scales) v = {1 + real(random) / 2, static_cast<int32_t>(random() % 256)};
  for (const int64_t columns : {1, 7, 16, 33, 48}) {
    const cpu::Int8Sums s{rows,
                          columns,
                          products.data(),
                          step,
                          reinterpret_cast<const int8_t*>(weight_sums.data()),
                          int8_panel * 4,
                          scales.data(),
                          true,
                          centred.data(),
                          multiplier.data(),
                          bias.data(),
                          weight_zero.data(),
                          100,
                          DType::float32,
                          0};
    check_requantized<float>(s);
    check_requantized<uint8_t>(s);
    check_requantized<int8_t>(s);
  }
}

}  // namespace
}  // namespace mt
