// Elementwise ops that round, bound or choose. Included once for each CPU instruction set: no include guard.
// V is a SIMD vector or one element; a functor has no branch, dtype, pointer or check.

struct Abs {
  static constexpr Decl decl{.name = "abs",
                             .signature = "[res] x:tensor",
                             .result = Rule::real,
                             .dtypes = any_number_dtypes,
                             .doc =
                                 "Absolute value, elementwise; of complex numbers their magnitude, as a real tensor. The most negative "
                                 "integer is unchanged.",
                             .samples = "{randn(3, 4)}, {full(-inf)}, {randn(0)}"};
  template <class V> MT_FN auto operator()(V x) const { return abs(x); }
};

struct Sign {
  static constexpr Decl decl{.name = "sign",
                             .signature = "[res] x:tensor",
                             .doc = "-1, 0 or 1 by the sign of x, elementwise. 0 for NaN.",
                             .samples = "{randn(3, 4)}, {full(0)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return select(x > V(0), V(1), select(x < V(0), V(-1), V(0))); }
};

// Of real numbers; those of complex ones: engine/cpu/complex-inl.h.
template <class V> MT_FN V conj(V x) { return x; }
template <class V> MT_FN V sgn(V x) { return select(x > V(0), V(1), select(x < V(0), V(-1), V(0))); }

struct Conj {
  static constexpr Decl decl{.name = "conj",
                             .signature = "[res] z:tensor",
                             .method = Method::returns,
                             .dtypes = any_number_dtypes,
                             .doc = "The complex conjugate, elementwise: the imaginary part changes its sign. Of real numbers: a copy.",
                             .samples = "{randn(3, 4)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V z) const { return conj(z); }
};

struct Sgn {
  static constexpr Decl decl{.name = "sgn",
                             .signature = "[res] z:tensor",
                             .method = Method::returns,
                             .dtypes = any_number_dtypes,
                             .doc =
                                 "z / |z|, elementwise: the complex number of magnitude 1 with the angle of z, and 0 for 0. Of real "
                                 "numbers: sign.",
                             .samples = "{randn(3, 4)}, {full(0)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V z) const { return sgn(z); }
};

// The derivative of abs: the conjugate of sgn.
struct AbsSlope {
  static constexpr Decl decl{.name = "abs_slope",
                             .signature = "[res] z:tensor",
                             .method = Method::none,
                             .dtypes = any_number_dtypes,
                             .doc = "conj(sgn(z)), elementwise: the derivative of abs. Of real numbers: sign.",
                             .samples = "{randn(3, 4)}, {full(0)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V z) const { return conj(sgn(z)); }
};

struct Floor {
  static constexpr Decl decl{.name = "floor",
                             .signature = "[res] x:tensor",
                             .doc = "The largest integer not above x, elementwise.",
                             .samples = "{randn(3, 4)}, {full(-inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return floor(x); }
};

struct Ceil {
  static constexpr Decl decl{.name = "ceil",
                             .signature = "[res] x:tensor",
                             .doc = "The smallest integer not below x, elementwise.",
                             .samples = "{randn(3, 4)}, {full(-inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return ceil(x); }
};

struct Round {
  static constexpr Decl decl{.name = "round",
                             .signature = "[res] x:tensor",
                             .doc = "The nearest integer, elementwise; halves are rounded away from zero.",
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
      .doc = "x limited to min..max, elementwise; either bound may be nil. NaN stays NaN.",
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

// The derivative of relu, in one pass.
struct ReluGrad {
  static constexpr Decl decl{.name = "relu_grad",
                             .signature = "[res] g:tensor y:tensor",
                             .doc = "g if y is above 0, else 0, elementwise: the gradient of relu from its output y.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V g, V y) const { return select(y > V(0), g, V(0)); }
};

struct Cmax {
  static constexpr Decl decl{.name = "cmax",
                             .signature = "[res] x:tensor y:tensor|number",
                             .doc = "The larger of x and y, elementwise and broadcast: x > y ? x : y, so the result is NaN if y is.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 4), 0.25}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y) const { return select(x > y, x, y); }
};

struct Cmin {
  static constexpr Decl decl{.name = "cmin",
                             .signature = "[res] x:tensor y:tensor|number",
                             .doc = "The smaller of x and y, elementwise and broadcast: x < y ? x : y, so the result is NaN if y is.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 4), 0.25}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y) const { return select(x < y, x, y); }
};

using PointwiseOps = List<Abs, Sign, Conj, Sgn, AbsSlope, Floor, Ceil, Round, Trunc, Frac, Clamp, Relu, ReluGrad, Cmax, Cmin>;
