// Elementwise arithmetic. Included once for each CPU instruction set: no include guard.
// V is a SIMD vector or one element; a functor has no branch, dtype, pointer or check.

struct Add {
  static constexpr Decl decl{.name = "add",
                             .signature = "[res] x:tensor y:tensor|number alpha:number=1",
                             .forms = "x y | x alpha y",
                             .doc = "x + alpha * y, elementwise and broadcast; add(x, alpha, y) is the same. Integers wrap.",
                             .samples =
                                 "{randn(3, 4), randn(3, 4)}, {randn(3, 1), randn(1, 4)}, {randn(5), 2.5}, {randn(5), 2, randn(5)}, "
                                 "{full(inf), full(-inf)}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y, V alpha) const { return x + alpha * y; }
};

struct Sub {
  static constexpr Decl decl{
      .name = "csub",
      .signature = "[res] x:tensor y:tensor|number alpha:number=1",
      .forms = "x y | x alpha y",
      .doc = "x - alpha * y, elementwise and broadcast; csub(x, alpha, y) is the same. Integers wrap. (x:sub(...) is slicing.)",
      .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 1), randn(1, 4)}, {randn(5), 2.5}, {randn(5), -3, randn(5)}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y, V alpha) const { return x - alpha * y; }
};

// number - tensor, for the operator.
struct ReverseSub {
  static constexpr Decl decl{
      .name = "rsub", .signature = "[res] x:tensor y:number", .doc = "y - x, elementwise.", .samples = "{randn(3, 4), 2}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y) const { return y - x; }
};

struct Mul {
  static constexpr Decl decl{.name = "mul",
                             .signature = "[res] x:tensor value:number",
                             .doc = "x times a number, elementwise. An integer tensor takes the number's whole part.",
                             .samples = "{randn(3, 4), 2.5}, {full(inf), 0}, {randn(0), 2}"};
  template <class V> MT_FN V operator()(V x, V value) const { return x * value; }
};

struct Cmul {
  static constexpr Decl decl{.name = "cmul",
                             .signature = "[res] x:tensor y:tensor|number",
                             .doc = "x times y, elementwise and broadcast. Integers wrap.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 1), randn(1, 4)}, {randn(3), 2}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V x, V y) const { return x * y; }
};

struct Div {
  static constexpr Decl decl{.name = "div",
                             .signature = "[res] x:tensor value:number",
                             .nonzero = "value",
                             .doc = "x divided by a number, elementwise. Integers truncate toward zero; by 0 is an error for them.",
                             .samples = "{randn(3, 4), 2.5}, {randn(3, 4), -3}, {randn(0), 2}"};
  template <class V> MT_FN V operator()(V x, V value) const { return x / value; }
};

struct Cdiv {
  static constexpr Decl decl{.name = "cdiv",
                             .signature = "[res] x:tensor y:tensor|number",
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
  static constexpr Decl decl{
      .name = "neg", .signature = "[res] x:tensor", .doc = "-x, elementwise.", .samples = "{randn(3, 4)}, {full(inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return x * V(-1); }
};

struct Abs {
  static constexpr Decl decl{.name = "abs",
                             .signature = "[res] x:tensor",
                             .doc = "Absolute value, elementwise. The most negative integer stays as it is.",
                             .samples = "{randn(3, 4)}, {full(-inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return abs(x); }
};

struct Sign {
  static constexpr Decl decl{.name = "sign",
                             .signature = "[res] x:tensor",
                             .doc = "-1, 0 or 1 by the sign of x, elementwise. NaN gives 0.",
                             .samples = "{randn(3, 4)}, {full(0)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return select(x > V(0), V(1), select(x < V(0), V(-1), V(0))); }
};

struct Square {
  static constexpr Decl decl{
      .name = "square", .signature = "[res] x:tensor", .doc = "x * x, elementwise. Integers wrap.", .samples = "{randn(3, 4)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return x * x; }
};

struct Floor {
  static constexpr Decl decl{.name = "floor",
                             .signature = "[res] x:tensor",
                             .doc = "The largest whole number not above x, elementwise.",
                             .samples = "{randn(3, 4)}, {full(-inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return floor(x); }
};

struct Ceil {
  static constexpr Decl decl{.name = "ceil",
                             .signature = "[res] x:tensor",
                             .doc = "The smallest whole number not below x, elementwise.",
                             .samples = "{randn(3, 4)}, {full(-inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return ceil(x); }
};

struct Round {
  static constexpr Decl decl{.name = "round",
                             .signature = "[res] x:tensor",
                             .doc = "The nearest whole number, elementwise; halves go away from zero.",
                             .samples = "{randn(3, 4)}, {full(0.5)}, {full(-2.5)}, {full(0.49999997)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return round(x); }
};

struct Trunc {
  static constexpr Decl decl{.name = "trunc",
                             .signature = "[res] x:tensor",
                             .doc = "x without its fraction, elementwise.",
                             .samples = "{randn(3, 4)}, {full(-1.5)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return trunc(x); }
};

struct Frac {
  static constexpr Decl decl{.name = "frac",
                             .signature = "[res] x:tensor",
                             .doc = "x - trunc(x), elementwise: the fraction, with the sign of x.",
                             .samples = "{randn(3, 4)}, {full(-1.5)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return x - trunc(x); }
};

struct Clamp {
  static constexpr Decl decl{
      .name = "clamp",
      .signature = "[res] x:tensor min:number=-inf max:number=inf",
      .doc = "x, at least min and at most max, elementwise; either may be left out (nil). NaN stays NaN.",
      .samples = "{randn(3, 4), -0.5, 0.5}, {full(nan), 0, 1}, {randn(3), 0.25}, {randn(3), nil, 0}, {randn(0), 0, 1}",
      .alias = "clip"};
  template <class V> MT_FN V operator()(V x, V min, V max) const { return select(x < min, min, select(x > max, max, x)); }
};

struct Relu {
  static constexpr Decl decl{.name = "relu",
                             .signature = "[res] x:tensor",
                             .doc = "max(x, 0), elementwise. NaN stays NaN.",
                             .samples = "{randn(3, 4)}, {full(nan)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return select(x < V(0), V(0), x); }
};

// The derivative of relu, as one pass.
struct ReluGrad {
  static constexpr Decl decl{.name = "relu_grad",
                             .signature = "[res] g:tensor y:tensor",
                             .doc = "g where y is above 0, else 0: the gradient of relu from its output y.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V g, V y) const { return select(y > V(0), g, V(0)); }
};

struct Cmax {
  static constexpr Decl decl{.name = "cmax",
                             .signature = "[res] x:tensor y:tensor|number",
                             .doc = "The larger of x and y, elementwise and broadcast: x > y ? x : y, so that a NaN in y stays.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 4), 0.25}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y) const { return select(x > y, x, y); }
};

struct Cmin {
  static constexpr Decl decl{.name = "cmin",
                             .signature = "[res] x:tensor y:tensor|number",
                             .doc = "The smaller of x and y, elementwise and broadcast: x < y ? x : y, so that a NaN in y stays.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 4), 0.25}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y) const { return select(x < y, x, y); }
};

struct Addcmul {
  static constexpr Decl decl{
      .name = "addcmul",
      .signature = "[res] x:tensor a:tensor b:tensor value:number=1",
      .forms = "x a b | x value a b",
      .doc = "x + value * a * b, elementwise and broadcast.",
      .samples = "{randn(3, 4), randn(3, 4), randn(3, 4)}, {randn(5), 0.5, randn(5), randn(5)}, {randn(0), randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V x, V a, V b, V value) const { return x + value * a * b; }
};

struct Addcdiv {
  static constexpr Decl decl{.name = "addcdiv",
                             .signature = "[res] x:tensor a:tensor b:tensor value:number=1",
                             .forms = "x a b | x value a b",
                             .nonzero = "b",
                             .doc = "x + value * a / b, elementwise and broadcast. For integers b must not be 0.",
                             .samples = "{randn(3, 4), randn(3, 4), nonzero(3, 4)}, {randn(5), 0.5, randn(5), nonzero(5)}"};
  template <class V> MT_FN V operator()(V x, V a, V b, V value) const { return x + value * a / b; }
};

struct Lerp {
  static constexpr Decl decl{.name = "lerp",
                             .signature = "[res] a:tensor b:tensor weight:tensor|number",
                             .integers = false,
                             .doc = "a + weight * (b - a), elementwise and broadcast.",
                             .samples = "{randn(3, 4), randn(3, 4), 0.25}, {randn(3), randn(3), randn(3)}, {randn(0), randn(0), 1}"};
  template <class V> MT_FN V operator()(V a, V b, V weight) const { return a + weight * (b - a); }
};

using PointwiseOps = List<Add, Sub, ReverseSub, Mul, Cmul, Div, Cdiv, Fmod, Remainder, Neg, Abs, Sign, Square, Floor, Ceil, Round, Trunc,
                          Frac, Clamp, Relu, ReluGrad, Cmax, Cmin, Addcmul, Addcdiv, Lerp>;
