#include "engine/ops/accumulate.h"

#include <algorithm>

namespace mt {
namespace {

const Op& op_called(std::string_view name) { return *Registry::instance().find(name); }

// Runs an op with one result: the caller's tensor (1) or a new one (0).
void run(OpHook* hook, const Op& op, std::span<Value> args, Tensor& result, uint32_t given) {
  Tensor* results[] = {&result};
  Call call{op, args, results, given};
  call.hook = hook;
  run_op(call);
}

// Adds scale * g to the view that the op `view` returns for these arguments.
void add_to_view(OpHook* hook, const Op& view, std::span<Value> args, const Tensor& g, double scale) {
  Tensor part;
  run(hook, view, args, part, 0);
  add_scaled(hook, part, g, scale);
}

// Adds scale * op(a, b) to the sum, by an op with the arguments m, a, b, beta, alpha.
bool add_product(const Call& call, const Op& op, double scale, const Tensor& a, const Tensor& b) {
  Tensor& sum = call.result(0);
  if (a.dtype() != sum.dtype() || b.dtype() != sum.dtype()) return false;
  Tensor left = a, right = b;
  Value args[] = {Value(sum), Value(left), Value(right), Value(1.0), Value(scale)};
  run(call.hook, op, args, sum, 1);
  return true;
}

// Adds scale * g to the sum at the positions given by the call's last two arguments (a dimension and an index), by an op that adds at
// positions: it does not visit the other rows of a large table.
bool add_at_positions(const Call& call, const Op& op, Tensor g, double scale) {
  Tensor& sum = call.result(0);
  if (g.dtype() != sum.dtype()) return false;
  if (scale != 1) {
    static const Op& mul = op_called("mul");
    Tensor scaled;
    Value factors[] = {Value(g), Value(scale)};
    run(call.hook, mul, factors, scaled, 0);
    g = scaled;
  }
  Value added[] = {Value(sum), call.arg(2), call.arg(3), Value(g)};
  run(call.hook, op, added, sum, 1);
  return true;
}

}  // namespace

bool accumulate_mm(const Call& call, double scale) {
  static const Op& addmm = op_called("addmm");
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  return a.dim() == 2 && b.dim() == 2 && add_product(call, addmm, scale, a, b);
}

bool accumulate_mv(const Call& call, double scale) {
  static const Op& addmv = op_called("addmv");
  return add_product(call, addmv, scale, call.tensor(0), call.tensor(1));
}

bool accumulate_ger(const Call& call, double scale) {
  static const Op& addr = op_called("addr");
  return add_product(call, addr, scale, call.tensor(0), call.tensor(1));
}

bool accumulate_linear_weight_grad(const Call& call, double scale) {
  static const Op& addmm = op_called("addmm");
  const Tensor& g = call.tensor(0);
  if (g.dim() == 1) return accumulate_ger(call, scale);
  if (g.dim() != 2) return false;
  Tensor turned = g;
  turned.set_geometry(g.offset(), Shape{g.size(1), g.size(0)}, Shape{g.stride(1), g.stride(0)});
  return add_product(call, addmm, scale, turned, call.tensor(1));
}

// The sum of a single row is that row.
bool accumulate_linear_bias_grad(const Call& call, double scale) {
  Tensor g = call.tensor(0);
  if (g.dim() == 2 && g.size(0) == 1) g.set_geometry(g.offset(), Shape{g.size(1)}, Shape{g.stride(1)});
  if (g.dim() != 1 || g.dtype() != call.result(0).dtype()) return false;
  add_scaled(call.hook, call.result(0), g, scale);
  return true;
}

bool accumulate_expand(const Call& call, double scale) {
  if (call.tensor(0).dtype() != call.result(0).dtype()) return false;
  add_scaled(call.hook, call.result(0), call.tensor(0), scale);
  return true;
}

// Writes only to the slices that have a gradient.
bool accumulate_narrow_grad(const Call& call, double scale) {
  static const Op& narrow = op_called("narrow");
  Tensor& sum = call.result(0);
  const Tensor& g = call.tensor(0);
  if (g.dtype() != sum.dtype() || g.dim() != sum.dim()) return false;
  const double length = static_cast<double>(g.size(call.dim(2, sum.dim())));
  Value view[] = {Value(sum), call.arg(2), call.arg(3), Value(length)};
  add_to_view(call.hook, narrow, view, g, scale);
  return true;
}

// Otherwise a loop over the steps of a sequence would fill and add a whole sequence in each step.
bool accumulate_select_grad(const Call& call, double scale) {
  static const Op& select = op_called("select");
  Tensor& sum = call.result(0);
  const Tensor& g = call.tensor(0);
  if (g.dtype() != sum.dtype() || sum.dim() < 2 || g.dim() != sum.dim() - 1) return false;
  Value view[] = {Value(sum), call.arg(2), call.arg(3)};
  add_to_view(call.hook, select, view, g, scale);
  return true;
}

bool accumulate_sub_grad(const Call& call, double scale) {
  static const Op& sub = op_called("sub");
  Tensor& sum = call.result(0);
  if (call.tensor(0).dtype() != sum.dtype()) return false;
  Value view[] = {Value(sum), call.arg(2)};
  add_to_view(call.hook, sub, view, call.tensor(0), scale);
  return true;
}

bool accumulate_index_grad(const Call& call, double scale) {
  static const Op& index_add = op_called("indexAdd");
  const Tensor &sum = call.result(0), &g = call.tensor(0);
  if (g.dim() <= sum.dim() || sum.dim() < 1 || call.integer(2) != 0) return add_at_positions(call, index_add, g, scale);
  // Rows of positions in several dimensions, one after another.
  Shape sizes(sum.sizes());
  int64_t strides[max_dims];
  const int64_t row = sum.numel() / std::max<int64_t>(sum.size(0), 1);
  if (row == 0) return false;
  sizes[0] = g.numel() / row;
  contiguous_strides(sizes, strides);
  Tensor rows = contiguous(g);
  rows.set_geometry(rows.offset(), sizes, {strides, static_cast<size_t>(sizes.size())});
  return add_at_positions(call, index_add, rows, scale);
}

bool accumulate_gather_grad(const Call& call, double scale) {
  static const Op& scatter_add = op_called("scatterAdd");
  return add_at_positions(call, scatter_add, call.tensor(0), scale);
}

void add_scaled(OpHook* hook, Tensor& held, const Tensor& g, double scale) {
  static const Op& add = op_called("add");
  Tensor other = g;
  Value args[] = {Value(held), Value(other), Value(scale)};
  run(hook, add, args, held, 1);
}

Tensor sum_of(OpHook* hook, const Tensor& a, const Tensor& b) {
  static const Op& add = op_called("add");
  Tensor left = a, right = b, sum;
  Value args[] = {Value(left), Value(right), Value(1.0)};
  run(hook, add, args, sum, 0);
  return sum;
}

}  // namespace mt
