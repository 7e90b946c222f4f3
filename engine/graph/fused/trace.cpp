// The functors of elementwise ops, applied to values that record their operations.
#include "engine/graph/fused/trace.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "engine/core/decl.h"

#define MT_FN inline

namespace mt {

int32_t Trace::add(const Instruction& instruction) {
  if (instruction.code != Code::refuse) {
    const auto found = std::find(list_.begin(), list_.end(), instruction);
    if (found != list_.end()) return static_cast<int32_t>(found - list_.begin());
  }
  list_.push_back(instruction);
  return static_cast<int32_t>(list_.size()) - 1;
}

int32_t Trace::constant(double value) {
  if (dtype_ == DType::float64) return constant_bits(ScalarValue::of(value).as<uint64_t>());
  return constant_bits(ScalarValue::of(static_cast<float>(value)).as<uint32_t>());
}

bool Trace::is_constant(int32_t i, double value) const {
  const Instruction& instruction = list_[static_cast<size_t>(i)];
  if (instruction.code != Code::constant) return false;
  if (dtype_ == DType::float64) return instruction.bits == ScalarValue::of(value).as<uint64_t>();
  return instruction.bits == ScalarValue::of(static_cast<float>(value)).as<uint32_t>();
}

int32_t Trace::add(Code code, int32_t a, int32_t b, int32_t c) {
  if (code == Code::multiply) {
    if (is_constant(a, 1)) return b;
    if (is_constant(b, 1)) return a;
  }
  if (code == Code::choose) {
    const Instruction mask = list_[static_cast<size_t>(a)];
    if (mask.code == Code::less && b == mask.a && c == mask.b) return add(Code::least, b, c);
    if (mask.code == Code::less && b == mask.b && c == mask.a) return add(Code::greatest, b, c);
  }
  return add({code, a, b, c, 0});
}

#ifdef MT_WITH_XBYAK  // else nothing makes code of traces

namespace traced {
namespace {

thread_local Trace* current = nullptr;

using Code = Trace::Code;

template <class T> struct Value {
  using Element = T;
  struct Mask {
    int32_t at;
    friend Mask operator&(Mask a, Mask b) { return {current->add(Code::bit_and, a.at, b.at)}; }
    friend Mask operator|(Mask a, Mask b) { return {current->add(Code::bit_or, a.at, b.at)}; }
    Mask operator!() const { return {current->add(Code::bit_xor, at, current->constant_bits(~uint64_t{0}))}; }
  };
  int32_t at;

  static Value of(Code code, Value a) { return made(current->add(code, a.at)); }
  static Value of(Code code, Value a, Value b) { return made(current->add(code, a.at, b.at)); }
  static Value of(Code code, Value a, Value b, Value c) { return made(current->add(code, a.at, b.at, c.at)); }
  static Value made(int32_t at) {
    Value v;
    v.at = at;
    return v;
  }
  static Mask mask(Code code, Value a, Value b) { return {current->add(code, a.at, b.at)}; }
  // A constant of which all bits but the sign are set, or that one alone.
  static Value sign() { return made(current->constant(-0.0)); }
  static Value magnitude() { return made(current->constant_bits(sizeof(T) == 8 ? ~uint64_t{0} >> 1 : ~uint32_t{0} >> 1)); }

  Value() = default;
  template <class U>
  requires std::is_arithmetic_v<U>
  explicit Value(U number) : at(current->constant(static_cast<double>(static_cast<T>(number)))) {}

  friend Value operator+(Value a, Value b) { return of(Code::add, a, b); }
  friend Value operator-(Value a, Value b) { return of(Code::subtract, a, b); }
  friend Value operator*(Value a, Value b) { return of(Code::multiply, a, b); }
  friend Value operator/(Value a, Value b) { return of(Code::divide, a, b); }
  friend Mask operator<(Value a, Value b) { return mask(Code::less, a, b); }
  friend Mask operator<=(Value a, Value b) { return mask(Code::less_equal, a, b); }
  friend Mask operator>(Value a, Value b) { return mask(Code::less, b, a); }
  friend Mask operator>=(Value a, Value b) { return mask(Code::less_equal, b, a); }
  friend Mask operator==(Value a, Value b) { return mask(Code::equal, a, b); }
  friend Mask operator!=(Value a, Value b) { return mask(Code::not_equal, a, b); }
  friend Value select(Mask m, Value a, Value b) { return made(current->add(Code::choose, m.at, a.at, b.at)); }
  friend Value abs(Value a) { return of(Code::bit_and, a, magnitude()); }
  friend Value sqrt(Value a) { return of(Code::square_root, a); }
  friend Value floor(Value a) { return of(Code::floor, a); }
  friend Value ceil(Value a) { return of(Code::ceil, a); }
  friend Value trunc(Value a) { return of(Code::truncate, a); }
  friend Value nearest(Value a) { return of(Code::nearest, a); }
  friend Value times_sign_of(Value x, Value y) { return of(Code::bit_xor, x, of(Code::bit_and, y, sign())); }
  friend Value copysign(Value x, Value y) { return of(Code::bit_or, abs(x), of(Code::bit_and, y, sign())); }
  friend Value round(Value a) {  // as for vectors
    const Value whole = trunc(a), rest = abs(a - whole);
    return copysign(select(rest >= Value(0.5), abs(whole) + Value(1), abs(whole)), a);
  }
  friend Value mul_add(Value a, Value b, Value c) { return of(Code::multiply_add, a, b, c); }
  friend Value neg_mul_add(Value a, Value b, Value c) { return of(Code::negative_multiply_add, a, b, c); }
  friend Value least(Value a, Value b) { return of(Code::least, a, b); }
  friend Value greatest(Value a, Value b) { return of(Code::greatest, a, b); }
  // Lanes of a rare range end the code, and go through the kernels.
  friend bool any(Mask m) {
    current->add(Code::refuse, m.at);
    return false;
  }
  friend Value square_plus(Value z, Value c) { return of(Code::multiply_add, z, z, c); }
  friend Value rest_of_square(Value z, Value square) { return of(Code::multiply_subtract, z, z, square); }
};

template <class T, size_t N> Value<T> polynomial(Value<T> x, const T (&coefficients)[N]) {
  Value<T> sum(coefficients[N - 1]);
  for (size_t i = N - 1; i-- > 0;) sum = mul_add(sum, x, Value<T>(coefficients[i]));
  return sum;
}

Value<float> scaled(Value<float> p, Value<float> n) {
  Trace& t = *current;
  const int32_t all = t.add(Code::to_integer, n.at), half = t.shift(Code::shift_right, all, 1), bias = t.constant_bits(127);
  const auto power = [&](int32_t exponent) {
    return Value<float>::made(t.shift(Code::shift_left, t.add(Code::integer_add, exponent, bias), 23));
  };
  return p * power(half) * power(t.add(Code::integer_subtract, all, half));
}
Value<float> odd_sign(Value<float> n) {
  return Value<float>::made(current->shift(Code::shift_left, current->add(Code::to_integer, n.at), 31));
}

#define MT_OPAQUE(name) \
  template <class T> Value<T> name(Value<T> x) { return Value<T>::made(current->opaque(x.at)); }
#define MT_OPAQUE_BINARY(name) \
  template <class T> Value<T> name(Value<T> x, Value<T>) { return Value<T>::made(current->opaque(x.at)); }
MT_OPAQUE(exp)
MT_OPAQUE(expm1)
MT_OPAQUE(log)
MT_OPAQUE(log1p)
MT_OPAQUE(wide_log1p)
MT_OPAQUE(sin)
MT_OPAQUE(cos)
MT_OPAQUE(tan)
MT_OPAQUE(asin)
MT_OPAQUE(acos)
MT_OPAQUE(atan)
MT_OPAQUE(wide_sinh)
MT_OPAQUE(wide_cosh)
MT_OPAQUE(tanh)
MT_OPAQUE(erf)
MT_OPAQUE_BINARY(atan2)
MT_OPAQUE_BINARY(fmod)

Value<float> exp(Value<float> x);

#include "engine/ops/float_formulas-inl.h"

Value<float> exp(Value<float> x) { return exp_formula(x); }
Value<float> tanh(Value<float> x) { return tanh_formula(x); }
Value<float> erf(Value<float> x) { return erf_formula(x); }
Value<float> sin(Value<float> x) {
  return sin_formula(x, [](Value<float> far) { return far; });
}
Value<float> cos(Value<float> x) {
  return cos_formula(x, [](Value<float> far) { return far; });
}

#include "engine/ops/tails-inl.h"

#include "engine/ops/activation-inl.h"
#include "engine/ops/arithmetic-inl.h"
#include "engine/ops/elementary-inl.h"
#include "engine/ops/pointwise-inl.h"

using TraceFn = int32_t (*)(std::span<const int32_t> operands);

template <class Op, class T> int32_t trace(std::span<const int32_t> operands) {
  return [&]<size_t... I>(std::index_sequence<I...>) { return Op()(Value<T>::made(operands[I])...).at; }
  (std::make_index_sequence<static_cast<size_t>(Op::decl.signature.count)>());
}

struct Entry {
  std::string_view op;
  TraceFn of_floats, of_doubles;
};

template <class... Op> void append(std::vector<Entry>& table, List<Op...>) {
  (table.push_back({Op::decl.name, &trace<Op, float>, &trace<Op, double>}), ...);
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = [] {
    std::vector<Entry> made;
    append(made, PointwiseOps());
    append(made, ArithmeticOps());
    append(made, ElementaryOps());
    append(made, ActivationOps());
    return made;
  }();
  return table;
}

}  // namespace
}  // namespace traced

int32_t trace_op(std::string_view op, Trace& trace, std::span<const int32_t> operands) {
  const auto& table = traced::entries();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.op == op; });
  if (found == table.end()) return -1;
  Trace* const outer = std::exchange(traced::current, &trace);
  const int32_t result = (trace.dtype() == DType::float64 ? found->of_doubles : found->of_floats)(operands);
  traced::current = outer;
  return trace.is_complete() ? result : -1;
}

#else

int32_t trace_op(std::string_view, Trace&, std::span<const int32_t>) { return -1; }

#endif

}  // namespace mt
