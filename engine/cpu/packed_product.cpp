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

#include "engine/cpu/product_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using product_tiles::panel_count, product_tiles::panel_width;

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

// Panels begin..end of the result.
void multiply_packed(const cpu::PackedProduct& p, int64_t begin, int64_t end) {
  const cpu::PackedMatrix& w = p.w;
  product_tiles::multiply_packed({p.rows, w.rows, w.columns, p.x, p.x_step, w.panels.data<float>(), w.rows * panel_width(), panel_width(),
                                  p.bias, p.adds, p.y, p.y_step},
                                 begin, end);
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
  const Storage* storage = nullptr;
  PlaceVisitor visitor([&](OperandPlace& place) { storage = place.storage; });
  address.visit(visitor);
  return storage;
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
