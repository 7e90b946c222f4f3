// Kernels of products of 8-bit integers: those of every instruction set of this processor against plain sums in int64.
#include <cstring>
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

void check_kernel(const cpu::Int8Kernel& kernel, const Operands& o) {
  const std::vector<int16_t> wide(o.x.begin(), o.x.end());
  const void* const x = kernel.wide ? static_cast<const void*>(wide.data()) : o.x.data();
  const int64_t columns = o.panels * int8_panel;
  std::vector<int32_t> sums(static_cast<size_t>(o.rows * columns), -1);
  kernel.multiply(static_cast<int>(o.rows), static_cast<int>(o.panels),
                  {x, o.depth() * (kernel.wide ? 2 : 1), o.packed.data(), o.panel_bytes(), o.blocks, sums.data(), columns});
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
        for (const int64_t blocks : {0, 1, 2, 37}) {
          check_kernel(kernel, operands(
                                   rows, blocks, panels, [&] { return random(); }, [&] { return random(); }));
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

}  // namespace
}  // namespace mt
