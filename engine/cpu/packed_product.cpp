// y = x w + bias, where w is constant: it is stored in panels of columns, in the order in which the kernel reads it. A tile of rows of x by
// a panel stays in registers while all products are added; for few rows, several panels do. Zen 2, one thread (OpenBLAS): 64 x 256 by 256
// x 1024: 0.43 ms (0.55); 1 x 128 by 128 x 512: 3.1 us (5.4).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/packed_product.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/core/packing.h"
#include "engine/core/parallel.h"
#include "engine/cpu/packed_product.h"
#include "engine/ops/matmul.h"

#ifndef MT_PACKED_PRODUCT_TYPES
#define MT_PACKED_PRODUCT_TYPES
namespace mt::cpu {

struct PackedMatrix {
  int64_t rows, columns;
  Tensor panels;
};

// All matrices are row-major; `bias` (columns) may be null. If `adds`, the product is added to y.
struct PackedProduct {
  int64_t rows;
  const float* x;
  int64_t x_step;
  const PackedMatrix& w;
  const float* bias;
  bool adds;
  float* y;
  int64_t y_step;
};

}  // namespace mt::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using cpu::PackedMatrix, cpu::PackedProduct;

using Tag = hn::ScalableTag<float>;
constexpr int64_t most_rows = HWY_TARGET == HWY_SSE4 ? 4 : 6;  // registers: 2 vectors of a panel for each row
constexpr int64_t most_panels = 4;

HWY_INLINE int64_t panel_width() { return 2 * static_cast<int64_t>(hn::Lanes(Tag())); }
HWY_INLINE int64_t panel_count(int64_t columns) { return (columns + panel_width() - 1) / panel_width(); }

Tensor pack_matrix(const float* w, int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  const int64_t width = panel_width(), panels = panel_count(columns);
  const Tensor packed = Tensor::empty(DType::float32, {panels * rows * width});
  float* to = packed.data<float>();
  for (int64_t p = 0; p < panels; ++p) {
    for (int64_t k = 0; k < rows; ++k) {
      for (int64_t c = p * width; c < (p + 1) * width; ++c) *to++ = c < columns ? w[k * row_stride + c * column_stride] : 0.0F;
    }
  }
  return packed;
}

// One vector for each part of some panels, and the sums of some rows.
template <size_t vectors> using Parts = hn::Vec<Tag>[vectors];

template <size_t vectors, size_t... v> HWY_INLINE void clear(std::index_sequence<v...>, Parts<vectors>& sums) {
  ((sums[v] = hn::Zero(Tag())), ...);
}
template <size_t vectors, size_t... v>
HWY_INLINE void load(std::index_sequence<v...>, const float* w, int64_t lanes, int64_t panel, Parts<vectors>& parts) {
  ((parts[v] = hn::LoadU(Tag(), w + static_cast<int64_t>(v / 2) * panel + static_cast<int64_t>(v % 2) * lanes)), ...);
}
template <size_t vectors, size_t... v>
HWY_INLINE void add_row(std::index_sequence<v...>, hn::Vec<Tag> factor, const Parts<vectors>& parts, Parts<vectors>& sums) {
  ((sums[v] = hn::MulAdd(factor, parts[v], sums[v])), ...);
}
template <size_t vectors, size_t rows, size_t... i> HWY_INLINE void add_rows(std::index_sequence<i...>, const float* x, int64_t x_step,
                                                                             const Parts<vectors>& parts, Parts<vectors> (&sums)[rows]) {
  (add_row<vectors>(std::make_index_sequence<vectors>(), hn::Set(Tag(), x[static_cast<int64_t>(i) * x_step]), parts, sums[i]), ...);
}
template <size_t vectors, size_t rows, size_t... i> HWY_INLINE void clear_rows(std::index_sequence<i...>, Parts<vectors> (&sums)[rows]) {
  (clear<vectors>(std::make_index_sequence<vectors>(), sums[i]), ...);
}

// Writes a vector of row y, from column c on, of which the last ones may be missing.
HWY_INLINE void finish(const PackedProduct& m, float* y, int64_t c, hn::Vec<Tag> sum) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t count = m.w.columns - c;
  if (count >= lanes) {
    if (m.bias != nullptr) sum = hn::Add(sum, hn::LoadU(d, m.bias + c));
    if (m.adds) sum = hn::Add(sum, hn::LoadU(d, y + c));
    hn::StoreU(sum, d, y + c);
    return;
  }
  HWY_ALIGN float some[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(sum, d, some);
  for (int64_t j = 0; j < count; ++j) y[c + j] = some[j] + (m.bias != nullptr ? m.bias[c + j] : 0) + (m.adds ? y[c + j] : 0);
}
template <size_t vectors, size_t... v>
HWY_INLINE void finish_row(std::index_sequence<v...>, const PackedProduct& m, float* y, int64_t c, const Parts<vectors>& sums) {
  (finish(m, y, c + static_cast<int64_t>(v * hn::Lanes(Tag())), sums[v]), ...);
}
template <size_t vectors, size_t rows, size_t... i>
HWY_INLINE void finish_rows(std::index_sequence<i...>, const PackedProduct& m, int64_t r, int64_t c, const Parts<vectors> (&sums)[rows]) {
  (finish_row<vectors>(std::make_index_sequence<vectors>(), m, m.y + (r + static_cast<int64_t>(i)) * m.y_step, c, sums[i]), ...);
}

// Computes rows r.. of y, in `panels` panels from panel p on.
template <int64_t rows, int64_t panels> void multiply_tile(const PackedProduct& m, int64_t r, int64_t p) {
  constexpr size_t vectors = 2 * panels;
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = 2 * lanes, depth = m.w.rows, first = p * width, x_step = m.x_step;
  const float *w = m.w.panels.data<float>() + p * depth * width, *x = m.x + r * x_step;
  Parts<vectors> sums[rows];
  clear_rows<vectors, rows>(std::make_index_sequence<rows>(), sums);
  for (int64_t k = 0; k < depth; ++k, w += width, ++x) {
    Parts<vectors> parts;
    load<vectors>(std::make_index_sequence<vectors>(), w, lanes, depth * width, parts);
    add_rows<vectors, rows>(std::make_index_sequence<rows>(), x, x_step, parts, sums);
  }
  finish_rows<vectors, rows>(std::make_index_sequence<rows>(), m, r, first, sums);
}

template <int64_t rows> void multiply_rows(const PackedProduct& m, int64_t r, int64_t begin, int64_t end) {
  constexpr int64_t panels = rows == 1 ? most_panels : rows <= 2 ? 2 : 1;
  int64_t p = begin;
  for (; p + panels <= end; p += panels) multiply_tile<rows, panels>(m, r, p);
  for (; p < end; ++p) multiply_tile<rows, 1>(m, r, p);
}

// Panels begin..end of the result.
void multiply_packed(const PackedProduct& m, int64_t begin, int64_t end) {
  const int64_t together = m.rows < 3 ? most_panels : 1;  // panels that stay in the first-level cache for all rows
  for (int64_t p = begin; p < end; p += together) {
    const int64_t last = std::min(end, p + together);
    int64_t r = 0;
    for (; r + most_rows <= m.rows; r += most_rows) multiply_rows<most_rows>(m, r, p, last);
    switch (m.rows - r) {
      case 5:
        multiply_rows<3>(m, r, p, last);
        multiply_rows<2>(m, r + 3, p, last);
        break;
      case 4:
        multiply_rows<4>(m, r, p, last);
        break;
      case 3:
        multiply_rows<3>(m, r, p, last);
        break;
      case 2:
        multiply_rows<2>(m, r, p, last);
        break;
      case 1:
        multiply_rows<1>(m, r, p, last);
        break;
      default:
        break;
    }
  }
}

int64_t packed_panels(int64_t columns) { return panel_count(columns); }

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(pack_matrix);
HWY_EXPORT(multiply_packed);
HWY_EXPORT(packed_panels);

namespace cpu {
namespace {

struct PackedProductPlan {
  int64_t rows, x_step, y_step;
  std::shared_ptr<const PackedMatrix> w;
  Address x, bias, y;
  bool adds;

  void visit(OperandVisitor& visitor) {
    for (Address* const address : {&x, &bias, &y}) address->visit(visitor);
  }
};

void run_packed_product(const PackedProductPlan& p) {
  const auto floats = [](const Address& address) { return reinterpret_cast<float*>(address.data()); };
  const PackedProduct product{p.rows, floats(p.x), p.x_step, *p.w, floats(p.bias), p.adds, floats(p.y), p.y_step};
  constexpr int64_t worth_a_thread = 200'000;  // multiplications
  const int64_t panels = HWY_DYNAMIC_DISPATCH(packed_panels)(p.w->columns);
  const int64_t of_panel = std::max<int64_t>(1, p.rows * p.w->rows * p.w->columns / panels);
  parallel_ranges(panels, std::max<int64_t>(4, (worth_a_thread + of_panel - 1) / of_panel), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(multiply_packed)(product, begin, end);
  });
}

constexpr Kernel packed_kernel = kernel<&run_packed_product>();

const Storage* storage_of(Address address) {
  struct Visitor final : OperandVisitor {
    const Storage* storage = nullptr;
    void place(OperandPlace& place) override { storage = place.storage; }
  } visitor;
  address.visit(visitor);
  return visitor.storage;
}

std::optional<PackedLaunch> pack_product(const Launch& launch, const PackingContext& context) {
  const auto& plan = *static_cast<const ProductPlan*>(launch.plan());
  const double beta = plan.beta.as_double();
  if (plan.dtype != DType::float32 || plan.batch != 1 || plan.batches || plan.alpha.as_double() != 1 || (beta != 0 && beta != 1))
    return std::nullopt;
  Matrices x = plan.a, w = plan.b, y = plan.out;
  if (y.cols == 1 && y.rows > 1 && plan.bias == nullptr) {  // a matrix and a vector
    x = plan.b.transposed();
    w = plan.a.transposed();
    y = plan.out.transposed();
  }
  const auto is_constant = [&](const Matrices& m) { return context.constants.count(storage_of(m.data)) != 0; };
  const bool has_rows = (x.col_stride == 1 || x.cols == 1) && (y.col_stride == 1 || y.cols == 1);
  constexpr int64_t least_columns = 8, most_rows_worth = 512;
  if (!is_constant(w) || is_constant(x) || !has_rows || w.cols < least_columns || y.rows > most_rows_worth) return std::nullopt;
  const auto* const from = reinterpret_cast<const float*>(w.data.data());
  const std::string key =
      concat("product ", reinterpret_cast<uintptr_t>(from), " ", w.rows, " ", w.cols, " ", w.row_stride, " ", w.col_stride);
  const auto packed = context.packed.find<PackedMatrix>(key, [&] {
    return std::make_shared<const PackedMatrix>(
        PackedMatrix{w.rows, w.cols, HWY_DYNAMIC_DISPATCH(pack_matrix)(from, w.rows, w.cols, w.row_stride, w.col_stride)});
  });
  const bool has_bias = plan.bias != nullptr;
  const PackedProductPlan product{y.rows, x.row_stride, y.row_stride, packed, x.data, plan.bias, y.data, beta == 1 && !has_bias};
  return PackedLaunch{Launch(launch.op(), cpu_device, packed_kernel, {plan_type<PackedProductPlan>, &product}), {}};
}

}  // namespace

void add_product_packing(const Kernel& of_product) { add_packing(of_product, &pack_product); }

}  // namespace cpu
}  // namespace mt
#endif
