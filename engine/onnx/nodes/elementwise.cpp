// Ops element by element.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/onnx/cast.h"
#include "engine/onnx/node_kind.h"
#include "engine/onnx/unsigned.h"
#include "engine/ops/calls.h"

namespace mt::onnx {
namespace {

// ---- several inputs, or numbers that are optional

// Folds all inputs with a formula of two.
Tensor folded(NodeRun& n, std::string_view formula, std::vector<int64_t>& sizes) {
  std::vector<const NodeValue*> given;
  for (size_t i = 0; i < n.inputs(); ++i) given.push_back(&n.in(i));
  if (given.empty()) n.refuse("no input", "at least 1");
  sizes = n.common_sizes(given);
  Tensor result = n.broadcast(*given[0], sizes);
  for (size_t i = 1; i < given.size(); ++i) result = n.eval(formula, {result, n.broadcast(*given[i], sizes)});
  return result;
}

constexpr std::string_view larger = "(x, y) where(isnan(y), y, where(isnan(x), x, cmax(x, y)))";
constexpr std::string_view smaller = "(x, y) where(isnan(y), y, where(isnan(x), x, cmin(x, y)))";

void fold(NodeRun& n, std::string_view formula) {
  std::vector<int64_t> sizes;
  const Tensor result = folded(n, formula, sizes);
  n.give(result, sizes.empty());
}

// The larger or smaller of two numbers; unsigned integers are compared without arithmetic.
std::string_view larger_of(DType dtype) { return is_unsigned(dtype) ? "(x, y) where(gt(x, y), x, y)" : "(x, y) cmax(x, y)"; }
std::string_view smaller_of(DType dtype) { return is_unsigned(dtype) ? "(x, y) where(lt(x, y), x, y)" : "(x, y) cmin(x, y)"; }

void max(NodeRun& n) { fold(n, is_float(n.dtype(0)) ? larger : larger_of(n.dtype(0))); }
void min(NodeRun& n) { fold(n, is_float(n.dtype(0)) ? smaller : smaller_of(n.dtype(0))); }
void sum(NodeRun& n) { fold(n, "(x, y) add(x, y)"); }
void mean(NodeRun& n) {
  std::vector<int64_t> sizes;
  const Tensor total = folded(n, "(x, y) add(x, y)", sizes);
  n.give(n.eval("(x, n) div(x, n)", {total, static_cast<double>(n.inputs())}), sizes.empty());
}

void clip(NodeRun& n) {
  Tensor result = n.tensor(0);
  if (n.version() < 11) {
    constexpr double most = std::numeric_limits<float>::max();
    result = n.eval("(x, least, most) clamp(x, least, most)", {result, n.number("min", -most), n.number("max", most)});
  } else {
    if (n.has(1)) result = n.eval("(x, y) where(lt(x, y), y, x)", {result, n.broadcast(n.in(1), n.tensor(0).sizes())});
    if (n.has(2)) result = n.eval("(x, y) where(gt(x, y), y, x)", {result, n.broadcast(n.in(2), n.tensor(0).sizes())});
  }
  n.give(result, n.in(0).is_scalar);
}

void mod(NodeRun& n) {
  const NodeValue* given[] = {&n.in(0), &n.in(1)};
  const std::vector<int64_t> sizes = n.common_sizes(given);
  if (is_unsigned(n.dtype(0)))
    return n.give(unsigned_remainder(n, n.broadcast(n.in(0), sizes), n.broadcast(n.in(1), sizes)), sizes.empty());
  const bool truncates = n.integer("fmod", 0) != 0;
  const std::string_view formula = truncates ? "(x, y) fmod(x, y)" : "(x, y) remainder(x, y)";
  n.give(n.eval(formula, {n.broadcast(n.in(0), sizes), n.broadcast(n.in(1), sizes)}), sizes.empty());
}

void pow(NodeRun& n) {
  const NodeValue *x = &n.in(0), *y = &n.in(1);
  const NodeValue* given[] = {x, y};
  const std::vector<int64_t> sizes = n.common_sizes(given);
  const DType dtype = n.dtype(0);
  const bool is_number = y->is_known && y->tensor.numel() == 1 && is_float(dtype) && std::ranges::equal(sizes, x->sizes());
  if (is_number) return n.give(n.eval("(x, y) pow(x, y)", {x->tensor, n.number(size_t{1})}), sizes.empty());
  Tensor base = n.broadcast(*x, sizes), exponent = n.broadcast(*y, sizes);
  // The powers of integers by floats are floats before they become integers again.
  if (!is_float(dtype) && is_float(exponent.dtype())) base = n.converted(base, DType::float64);
  exponent = n.converted(exponent, base.dtype());
  n.give(n.converted(n.eval("(x, y) pow(x, y)", {base, exponent}), dtype), sizes.empty());
}

// Before version 7 a slope has one element for each channel.
void p_relu(NodeRun& n) {
  NodeValue slope = n.in(1);
  if (n.version() < 7 && slope.tensor.dim() == 1 && n.rank(0) > 2) {
    std::vector<int64_t> sizes(static_cast<size_t>(n.rank(0)) - 1, 1);
    sizes[0] = slope.tensor.numel();
    slope.tensor = n.reshaped(slope.tensor, sizes);
  }
  n.give(n.eval("(x, slope) where(lt(x, 0), cmul(x, slope), x)", {n.tensor(0), n.broadcast(slope, n.tensor(0).sizes())}),
         n.in(0).is_scalar);
}

void bit_shift(NodeRun& n) {
  const NodeValue* given[] = {&n.in(0), &n.in(1)};
  const std::vector<int64_t> sizes = n.common_sizes(given);
  const bool is_left = n.string("direction", "LEFT") == "LEFT";
  const Tensor x = n.broadcast(n.in(0), sizes), y = n.broadcast(n.in(1), sizes);
  if (is_unsigned(x.dtype())) {
    const Tensor shifted = n.eval(is_left ? "(x, y) lshift(x, y)" : "(x, y) rshift(x, y)", {as_signed(n, x), as_signed(n, y)});
    return n.give(n.converted(shifted, x.dtype()), sizes.empty());
  }
  // The engine shifts zeros in from the left: a negative number is shifted by its complement.
  const std::string_view formula =
      is_left ? "(x, y) lshift(x, y)" : "(x, y) where(lt(x, 0), bitxor(rshift(bitxor(x, -1), y), -1), rshift(x, y))";
  n.give(n.eval(formula, {x, y}), sizes.empty());
}

// ---- conversions

DType dtype_attribute(const NodeRun& n, std::string_view name, int64_t otherwise) {
  const int64_t type = n.integer(name, otherwise);
  const auto dtype = dtype_of_elements(type);
  if (!dtype) n.refuse(concat("the type ", shown_element_type(type)), "a type that is a dtype");
  return *dtype;
}

void cast_to(NodeRun& n, DType dtype) { n.give(cast_tensor(n, n.tensor(0), dtype), n.in(0).is_scalar); }
void cast(NodeRun& n) { cast_to(n, dtype_attribute(n, "to", 0)); }
void cast_like(NodeRun& n) { cast_to(n, n.dtype(1)); }

// The same bits as another dtype of the same size.
void bit_cast(NodeRun& n) {
  const DType dtype = dtype_attribute(n, "to", 0);
  const Tensor t = contiguous(n.tensor(0));
  if (size_of(dtype) != size_of(t.dtype())) n.refuse(concat("elements of ", size_of(t.dtype()), " bytes"), concat(size_of(dtype)));
  if (!n.in(0).is_known) call_read(n.settings().hook, t);  // no op has these bits: a graph is valid for these elements alone
  Tensor made = Tensor::empty(dtype, t.sizes());
  if (t.numel() > 0) std::memcpy(made.bytes(), t.bytes(), static_cast<size_t>(t.numel() * size_of(dtype)));
  n.give(made, n.in(0).is_scalar);
}

// ---- conditions

void equal(NodeRun& n) {
  const NodeValue* given[] = {&n.in(0), &n.in(1)};
  const std::vector<int64_t> sizes = n.common_sizes(given);
  Tensor x = n.broadcast(n.in(0), sizes), y = n.broadcast(n.in(1), sizes);
  if (x.dtype() == DType::boolean) {
    x = n.converted(x, DType::uint8);
    y = n.converted(y, DType::uint8);
  }
  n.give(n.eval("(x, y) to(eq(x, y), 'bool')", {x, y}), sizes.empty());
}

void is_inf(NodeRun& n) {
  const bool negative = n.integer("detect_negative", 1) != 0, positive = n.integer("detect_positive", 1) != 0;
  const Tensor& x = n.tensor(0);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Tensor found;
  if (negative && positive)
    found = n.eval("(x) to(isinf(x), 'bool')", {x});
  else if (negative || positive)
    found = n.eval("(x, value) to(eq(x, value), 'bool')", {x, positive ? infinity : -infinity});
  else
    found = n.filled(x.sizes(), 0, DType::boolean);
  n.give(found, n.in(0).is_scalar);
}

void where(NodeRun& n) {
  const NodeValue* given[] = {&n.in(0), &n.in(1), &n.in(2)};
  const std::vector<int64_t> sizes = n.common_sizes(given);
  n.give(n.eval("(mask, x, y) where(mask, x, y)", {n.broadcast(n.in(0), sizes), n.broadcast(n.in(1), sizes), n.broadcast(n.in(2), sizes)}),
         sizes.empty());
}

void round(NodeRun& n) { n.give(n.rounded(n.tensor(0)), n.in(0).is_scalar); }

void gelu(NodeRun& n) {
  const bool approximates = n.string("approximate", "none") == "tanh";
  const std::string_view formula =
      approximates ? "(x) cmul(mul(x, 0.5), add(tanh(mul(add(x, mul(cmul(cmul(x, x), x), 0.044715)), 0.7978845608028654)), 1))"
                   : "(x) gelu(x)";
  n.give(n.eval(formula, {n.tensor(0)}), n.in(0).is_scalar);
}

constexpr auto inputs = NodeKind::Knows::inputs;

constexpr NodeKind kinds[] = {
    {"Abs", nullptr, "(x) abs(x)"},
    {"Acos", nullptr, "(x) acos(x)"},
    {"Acosh", nullptr, "(x) acosh(x)"},
    {"Add", nullptr, "(x, y) add(x, y)", {}, inputs, true, true},
    {"And", nullptr, "(x, y) to(cmul(to(x, 'uint8'), to(y, 'uint8')), 'bool')"},
    {"Asin", nullptr, "(x) asin(x)"},
    {"Asinh", nullptr, "(x) asinh(x)"},
    {"Atan", nullptr, "(x) atan(x)"},
    {"Atanh", nullptr, "(x) atanh(x)"},
    {"BitCast", bit_cast},
    {"BitShift", bit_shift},
    {"BitwiseAnd", nullptr, "(x, y) bitand(x, y)", {}, inputs, false, true},
    {"BitwiseNot", nullptr, "(x) bitxor(x, -1)", {}, inputs, false, true},
    {"BitwiseOr", nullptr, "(x, y) bitor(x, y)", {}, inputs, false, true},
    {"BitwiseXor", nullptr, "(x, y) bitxor(x, y)", {}, inputs, false, true},
    {"Cast", cast},
    {"CastLike", cast_like},
    {"Ceil", nullptr, "(x) ceil(x)"},
    {"Celu", nullptr, "(x, alpha) add(cmax(x, 0), cmin(mul(expm1(div(x, alpha)), alpha), 0))", "alpha=1"},
    {"Clip", clip},
    {"Cos", nullptr, "(x) cos(x)"},
    {"Cosh", nullptr, "(x) cosh(x)"},
    {"Div", nullptr, "(x, y) cdiv(x, y)", {}, inputs, true, false, unsigned_quotient},
    {"Elu", nullptr, "(x, alpha) where(lt(x, 0), mul(expm1(x), alpha), x)", "alpha=1"},
    {"Equal", equal},
    {"Erf", nullptr, "(x) erf(x)"},
    {"Exp", nullptr, "(x) exp(x)"},
    {"Floor", nullptr, "(x) floor(x)"},
    {"Gelu", gelu},
    {"Greater", nullptr, "(x, y) to(gt(x, y), 'bool')", {}, inputs, true},
    {"GreaterOrEqual", nullptr, "(x, y) to(ge(x, y), 'bool')", {}, inputs, true},
    {"HardSigmoid", nullptr, "(x, alpha, beta) clamp(add(mul(x, alpha), beta), 0, 1)", "alpha=0.2 beta=0.5"},
    {"HardSwish", nullptr, "(x) cmul(x, clamp(add(div(x, 6), 0.5), 0, 1))"},
    {"IsInf", is_inf},
    {"IsNaN", nullptr, "(x) to(isnan(x), 'bool')"},
    {"LeakyRelu", nullptr, "(x, alpha) where(lt(x, 0), mul(x, alpha), x)", "alpha=0.01"},
    {"Less", nullptr, "(x, y) to(lt(x, y), 'bool')", {}, inputs, true},
    {"LessOrEqual", nullptr, "(x, y) to(le(x, y), 'bool')", {}, inputs, true},
    {"Log", nullptr, "(x) log(x)"},
    {"Max", max},
    {"Mean", mean},
    {"Min", min},
    {"Mish", nullptr, "(x) cmul(x, tanh(softplus(x)))"},
    {"Mod", mod},
    {"Mul", nullptr, "(x, y) cmul(x, y)", {}, inputs, true, true},
    {"Neg", nullptr, "(x) neg(x)"},
    {"Not", nullptr, "(x) to(eq(to(x, 'uint8'), 0), 'bool')"},
    {"Or", nullptr, "(x, y) to(cmax(to(x, 'uint8'), to(y, 'uint8')), 'bool')"},
    {"Pow", pow},
    {"PRelu", p_relu},
    {"Reciprocal", nullptr, "(x) cinv(x)"},
    {"Relu", nullptr, "(x) relu(x)"},
    {"Round", round},
    {"Selu", nullptr, "(x, alpha, gamma) mul(where(le(x, 0), mul(expm1(x), alpha), x), gamma)",
     "alpha=1.67326319217681884765625 gamma=1.05070102214813232421875"},
    {"Shrink", nullptr, "(x, bias, lambd) where(lt(x, -lambd), add(x, bias), where(gt(x, lambd), add(x, -bias), 0))", "bias=0 lambd=0.5"},
    {"Sigmoid", nullptr, "(x) sigmoid(x)"},
    {"Sign", nullptr, "(x) sign(x)"},
    {"Sin", nullptr, "(x) sin(x)"},
    {"Sinh", nullptr, "(x) sinh(x)"},
    {"Softplus", nullptr, "(x) softplus(x)"},
    {"Softsign", nullptr, "(x) cdiv(x, add(abs(x), 1))"},
    {"Sqrt", nullptr, "(x) sqrt(x)"},
    {"Sub", nullptr, "(x, y) csub(x, y)", {}, inputs, true, true},
    {"Sum", sum},
    {"Swish", nullptr, "(x, alpha) cmul(x, sigmoid(mul(x, alpha)))", "alpha=1"},
    {"Tan", nullptr, "(x) tan(x)"},
    {"Tanh", nullptr, "(x) tanh(x)"},
    {"ThresholdedRelu", nullptr, "(x, alpha) where(gt(x, alpha), x, 0)", "alpha=1"},
    {"Where", where},
    {"Xor", nullptr, "(x, y) to(ne(to(x, 'uint8'), to(y, 'uint8')), 'bool')"},
};

}  // namespace

std::span<const NodeKind> elementwise_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
