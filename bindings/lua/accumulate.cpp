#include "bindings/lua/accumulate.h"

#include <algorithm>

namespace mt::lua {
namespace {

const Op& op_called(std::string_view name) { return *Registry::instance().find(name); }

// Runs an op with one result, which is given (1) or to be made (0).
void run(const State& state, const Op& op, std::span<Value> args, Tensor& result, uint32_t given) {
  Tensor* results[] = {&result};
  Call call{op, args, results, given};
  call.hook = state.hook;
  run_op(call);
}

// Adds scale * g to what the op, with these arguments, shows of a tensor.
void add_to_view(const State& state, const Op& view, std::span<Value> args, const Tensor& g, double scale) {
  Tensor part;
  run(state, view, args, part, 0);
  add_onto(state, part, g, scale);
}

// held = held + scale * op(a, b), by an op with the arguments m, a, b, beta, alpha
bool run_added(const State& state, const Op& op, Tensor& held, double scale, const Tensor& a, const Tensor& b) {
  if (a.dtype() != held.dtype() || b.dtype() != held.dtype()) return false;
  Tensor left = a, right = b;
  Value args[] = {Value(held), Value(left), Value(right), Value(1.0), Value(scale)};
  run(state, op, args, held, 1);
  return true;
}

bool onto_mm(const State& state, Tensor& held, double scale, const Value* args) {
  static const Op& addmm = op_called("addmm");
  const Tensor &a = *args[0].tensor, &b = *args[1].tensor;
  return a.dim() == 2 && b.dim() == 2 && run_added(state, addmm, held, scale, a, b);
}

bool onto_mv(const State& state, Tensor& held, double scale, const Value* args) {
  static const Op& addmv = op_called("addmv");
  return run_added(state, addmv, held, scale, *args[0].tensor, *args[1].tensor);
}

bool onto_ger(const State& state, Tensor& held, double scale, const Value* args) {
  static const Op& addr = op_called("addr");
  return run_added(state, addr, held, scale, *args[0].tensor, *args[1].tensor);
}

bool onto_weight(const State& state, Tensor& held, double scale, const Value* args) {
  static const Op& addmm = op_called("addmm");
  const Tensor &g = *args[0].tensor, &x = *args[1].tensor;
  if (g.dim() == 1) return onto_ger(state, held, scale, args);
  if (g.dim() != 2) return false;
  Tensor turned = g;
  turned.set_geometry(g.offset(), Shape{g.size(1), g.size(0)}, Shape{g.stride(1), g.stride(0)});
  return run_added(state, addmm, held, scale, turned, x);
}

// linear_bias_grad(g): of a single row
bool onto_bias(const State& state, Tensor& held, double scale, const Value* args) {
  Tensor g = *args[0].tensor;
  if (g.dim() == 2 && g.size(0) == 1) g.set_geometry(g.offset(), Shape{g.size(1)}, Shape{g.stride(1)});
  if (g.dim() != 1 || g.dtype() != held.dtype()) return false;
  add_onto(state, held, g, scale);
  return true;
}

// expand(g, size)
bool onto_add(const State& state, Tensor& held, double scale, const Value* args) {
  if (args[0].tensor->dtype() != held.dtype()) return false;
  add_onto(state, held, *args[0].tensor, scale);
  return true;
}

// narrow_grad(g, size, dim, first): only the slices that have a gradient are touched.
bool onto_narrow(const State& state, Tensor& held, double scale, const Value* args) {
  static const Op& narrow = op_called("narrow");
  Tensor g = *args[0].tensor;
  if (g.dtype() != held.dtype() || g.dim() != held.dim()) return false;
  const int64_t given = args[2].as_int(), dim = given < 0 ? given + held.dim() : given;
  Value view[] = {Value(held), args[2], args[3], Value(static_cast<double>(g.size(static_cast<int>(dim))))};
  add_to_view(state, narrow, view, g, scale);
  return true;
}

// select_grad(g, size, dim, index): a loop over the steps of a sequence would fill and add a whole sequence at each.
bool onto_select(const State& state, Tensor& held, double scale, const Value* args) {
  static const Op& select = op_called("select");
  const Tensor& g = *args[0].tensor;
  if (g.dtype() != held.dtype() || held.dim() < 2 || g.dim() != held.dim() - 1) return false;
  Value view[] = {Value(held), args[2], args[3]};
  add_to_view(state, select, view, g, scale);
  return true;
}

// sub_grad(g, size, ranges)
bool onto_sub(const State& state, Tensor& held, double scale, const Value* args) {
  static const Op& sub = op_called("sub");
  if (args[0].tensor->dtype() != held.dtype()) return false;
  Value view[] = {Value(held), args[2]};
  add_to_view(state, sub, view, *args[0].tensor, scale);
  return true;
}

// index_grad(g, size, dim, index) and gather_grad, by the op that adds at positions: a table of many rows is not gone through for few.
bool onto_positions(const State& state, const Op& op, Tensor& held, double scale, const Value* args) {
  Tensor g = *args[0].tensor;
  if (g.dtype() != held.dtype()) return false;
  if (scale != 1) {
    static const Op& mul = op_called("mul");
    Tensor scaled;
    Value factors[] = {Value(g), Value(scale)};
    run(state, mul, factors, scaled, 0);
    g = scaled;
  }
  Value added[] = {Value(held), args[2], args[3], Value(g)};
  run(state, op, added, held, 1);
  return true;
}

bool onto_index(const State& state, Tensor& held, double scale, const Value* args) {
  static const Op& index_add = op_called("indexAdd");
  const Tensor& g = *args[0].tensor;
  if (g.dim() <= held.dim() || held.dim() < 1 || args[2].as_int() != 0) return onto_positions(state, index_add, held, scale, args);
  // Rows of positions in several dimensions, one after another.
  Shape sizes(held.sizes());
  int64_t strides[max_dims];
  const int64_t row = held.numel() / std::max<int64_t>(held.size(0), 1);
  if (row == 0) return false;
  sizes[0] = g.numel() / row;
  contiguous_strides(sizes, strides);
  Tensor rows = contiguous(g);
  rows.set_geometry(rows.offset(), sizes, {strides, static_cast<size_t>(sizes.size())});
  Value flat[] = {Value(rows), args[1], args[2], args[3]};
  return onto_positions(state, index_add, held, scale, flat);
}

bool onto_gather(const State& state, Tensor& held, double scale, const Value* args) {
  static const Op& scatter_add = op_called("scatterAdd");
  return onto_positions(state, scatter_add, held, scale, args);
}

constexpr struct {
  std::string_view op;
  OntoFn onto;
} all[] = {{"mm", onto_mm},
           {"matmul", onto_mm},
           {"mv", onto_mv},
           {"ger", onto_ger},
           {"linear_weight_grad", onto_weight},
           {"linear_bias_grad", onto_bias},
           {"expand", onto_add},
           {"narrow_grad", onto_narrow},
           {"select_grad", onto_select},
           {"sub_grad", onto_sub},
           {"index_grad", onto_index},
           {"gather_grad", onto_gather}};

}  // namespace

OntoFn find_onto(std::string_view op) {
  for (const auto& each : all) {
    if (each.op == op) return each.onto;
  }
  return nullptr;
}

void add_onto(const State& state, Tensor& held, const Tensor& g, double scale) {
  static const Op& add = op_called("add");
  Tensor other = g;
  Value args[] = {Value(held), Value(other), Value(scale)};
  run(state, add, args, held, 1);
}

Tensor sum_of(const State& state, const Tensor& a, const Tensor& b) {
  static const Op& add = op_called("add");
  Tensor left = a, right = b, sum;
  Value args[] = {Value(left), Value(right), Value(1.0)};
  run(state, add, args, sum, 0);
  return sum;
}

}  // namespace mt::lua
