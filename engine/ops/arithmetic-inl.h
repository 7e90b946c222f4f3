// Elementwise sums, products, quotients and remainders. Included once for each CPU instruction set: no include guard.
// V is a SIMD vector or one element; a functor has no branch, dtype, pointer or check.

// A product by a number, a quotient by a number, and a number with the other sign. Those of complex numbers (engine/cpu/complex-inl.h) keep
// the parts apart if the number is real, since infinity times 0 is NaN.
template <class V> MT_FN V times_number(V number, V x) { return number * x; }
template <class V> MT_FN V quotient_by(V x, V number) { return x / number; }
template <class V> MT_FN V negative(V x) { return x * V(-1); }

struct Add {
  static constexpr Decl decl{.name = "add",
                             .signature = "[res] x:tensor y:tensor|number alpha:number=1",
                             .forms = "x y | x alpha y",
                             .dtypes = any_number_dtypes,
                             .doc = "x + alpha * y, elementwise and broadcast; add(x, alpha, y) is the same. Integers wrap.",
                             .samples =
                                 "{randn(3, 4), randn(3, 4)}, {randn(3, 1), randn(1, 4)}, {randn(5), 2.5}, {randn(5), 2, randn(5)}, "
                                 "{full(inf), full(-inf)}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y, V alpha) const { return x + times_number(alpha, y); }
};

struct Sub {
  static constexpr Decl decl{
      .name = "csub",
      .signature = "[res] x:tensor y:tensor|number alpha:number=1",
      .forms = "x y | x alpha y",
      .dtypes = any_number_dtypes,
      .doc = "x - alpha * y, elementwise and broadcast; csub(x, alpha, y) is the same. Integers wrap. (x:sub(...) is slicing.)",
      .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 1), randn(1, 4)}, {randn(5), 2.5}, {randn(5), -3, randn(5)}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y, V alpha) const { return x - times_number(alpha, y); }
};

// number - tensor, for the operator.
struct ReverseSub {
  static constexpr Decl decl{.name = "rsub",
                             .signature = "[res] x:tensor y:number",
                             .dtypes = any_number_dtypes,
                             .doc = "y - x, elementwise.",
                             .samples = "{randn(3, 4), 2}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y) const { return y - x; }
};

struct Mul {
  static constexpr Decl decl{.name = "mul",
                             .signature = "[res] x:tensor value:number",
                             .dtypes = any_number_dtypes,
                             .doc = "x times a number, elementwise. With an integer tensor the number is truncated.",
                             .samples = "{randn(3, 4), 2.5}, {full(inf), 0}, {randn(0), 2}"};
  template <class V> MT_FN V operator()(V x, V value) const { return times_number(value, x); }
};

struct Cmul {
  static constexpr Decl decl{.name = "cmul",
                             .signature = "[res] x:tensor y:tensor|number",
                             .dtypes = any_number_dtypes,
                             .doc = "x times y, elementwise and broadcast. Integers wrap.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 1), randn(1, 4)}, {randn(3), 2}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V x, V y) const { return x * y; }
};

struct Div {
  static constexpr Decl decl{.name = "div",
                             .signature = "[res] x:tensor value:number",
                             .dtypes = any_number_dtypes,
                             .nonzero = "value",
                             .doc = "x divided by a number, elementwise. Integers truncate toward zero; by 0 is an error for them.",
                             .samples = "{randn(3, 4), 2.5}, {randn(3, 4), -3}, {randn(0), 2}"};
  template <class V> MT_FN V operator()(V x, V value) const { return quotient_by(x, value); }
};

struct Cdiv {
  static constexpr Decl decl{.name = "cdiv",
                             .signature = "[res] x:tensor y:tensor|number",
                             .dtypes = any_number_dtypes,
                             .nonzero = "y",
                             .doc = "x divided by y, elementwise and broadcast. Integers truncate toward zero; by 0 is an error for them.",
                             .samples = "{randn(3, 4), nonzero(3, 4)}, {randn(3, 1), nonzero(1, 4)}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V x, V y) const { return x / y; }
};

struct Fmod {
  static constexpr Decl decl{
      .name = "fmod",
      .signature = "[res] x:tensor y:tensor|number",
      .nonzero = "y",
      .doc = "Remainder of x / y with the sign of x, as C's fmod and %. By 0: NaN for floats, an error for integers.",
      .samples = "{randn(3, 4), nonzero(3, 4)}, {randn(5), 0.75}, {randn(0), 1}",
      .alias = "mod cmod cfmod"};
  template <class V> MT_FN V operator()(V x, V y) const { return fmod(x, y); }
};

struct Remainder {
  static constexpr Decl decl{.name = "remainder",
                             .signature = "[res] x:tensor y:tensor|number",
                             .nonzero = "y",
                             .doc = "x - y * floor(x / y): the remainder with the sign of y. By 0: NaN for floats, an error for integers.",
                             .samples = "{randn(3, 4), nonzero(3, 4)}, {randn(5), 0.75}, {randn(5), -3}, {randn(0), 1}",
                             .alias = "cremainder"};
  template <class V> MT_FN V operator()(V x, V y) const {
    const V r = fmod(x, y);
    return select(((r < V(0)) & (y > V(0))) | ((r > V(0)) & (y < V(0))), r + y, r + V(0));  // 0, never -0
  }
};

struct Neg {
  static constexpr Decl decl{.name = "neg",
                             .signature = "[res] x:tensor",
                             .dtypes = any_number_dtypes,
                             .doc = "-x, elementwise.",
                             .samples = "{randn(3, 4)}, {full(inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return negative(x); }
};

struct Square {
  static constexpr Decl decl{.name = "square",
                             .signature = "[res] x:tensor",
                             .dtypes = any_number_dtypes,
                             .doc = "x * x, elementwise. Integers wrap.",
                             .samples = "{randn(3, 4)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return x * x; }
};

struct Addcmul {
  static constexpr Decl decl{
      .name = "addcmul",
      .signature = "[res] x:tensor a:tensor b:tensor value:number=1",
      .forms = "x a b | x value a b",
      .dtypes = any_number_dtypes,
      .doc = "x + value * a * b, elementwise and broadcast.",
      .samples = "{randn(3, 4), randn(3, 4), randn(3, 4)}, {randn(5), 0.5, randn(5), randn(5)}, {randn(0), randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V x, V a, V b, V value) const { return x + times_number(value, a) * b; }
};

struct Addcdiv {
  static constexpr Decl decl{.name = "addcdiv",
                             .signature = "[res] x:tensor a:tensor b:tensor value:number=1",
                             .forms = "x a b | x value a b",
                             .dtypes = any_number_dtypes,
                             .nonzero = "b",
                             .doc = "x + value * a / b, elementwise and broadcast. For integers b must not be 0.",
                             .samples = "{randn(3, 4), randn(3, 4), nonzero(3, 4)}, {randn(5), 0.5, randn(5), nonzero(5)}"};
  template <class V> MT_FN V operator()(V x, V a, V b, V value) const { return x + times_number(value, a) / b; }
};

struct Lerp {
  static constexpr Decl decl{.name = "lerp",
                             .signature = "[res] a:tensor b:tensor weight:tensor|number",
                             .dtypes = inexact_dtypes,
                             .doc = "a + weight * (b - a), elementwise and broadcast.",
                             .samples = "{randn(3, 4), randn(3, 4), 0.25}, {randn(3), randn(3), randn(3)}, {randn(0), randn(0), 1}"};
  template <class V> MT_FN V operator()(V a, V b, V weight) const { return a + weight * (b - a); }
};

using ArithmeticOps = List<Add, Sub, ReverseSub, Mul, Cmul, Div, Cdiv, Fmod, Remainder, Neg, Square, Addcmul, Addcdiv, Lerp>;
