// Elementary functions of floats; integers are converted to a float dtype that represents them. Included once for each CPU instruction set:
// no include guard.

#undef MT_FUNCTION
#undef MT_COMPLEX_FUNCTION
#undef MT_FUNCTION_OF
#define MT_FUNCTION_OF(set, Name, word, text, sample_list, expression, ...)        \
  struct Name {                                                                    \
    static constexpr Decl decl{.name = word,                                       \
                               .signature = "[res] x:tensor",                      \
                               .result = Rule::float_result,                       \
                               .dtypes = set,                                      \
                               .ulp = 16,                                          \
                               .doc = text,                                        \
                               .samples = sample_list __VA_OPT__(, ) __VA_ARGS__}; \
    template <class V> MT_FN V operator()(V x) const { return expression; }        \
  };

#define MT_FUNCTION(...) MT_FUNCTION_OF(number_dtypes, __VA_ARGS__)
#define MT_COMPLEX_FUNCTION(...) MT_FUNCTION_OF(any_number_dtypes, __VA_ARGS__)

MT_COMPLEX_FUNCTION(Exp, "exp", "e to the power of x, elementwise.",
                    "{randn(3, 4)}, {full(100)}, {full(-inf)}, {full(inf)}, {full(nan)}, {randn(0)}", exp(x),
                    .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Expm1, "expm1", "exp(x) - 1, elementwise, exact near 0.", "{randn(3, 4)}, {full(1e-5)}, {randn(0)}", expm1(x),
                    .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Log, "log", "Natural logarithm, elementwise. Of 0: -inf; of less: NaN.",
                    "{positive(3, 4)}, {full(0)}, {full(-1)}, {full(inf)}, {randn(0)}", log(x), .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Log1p, "log1p", "log(1 + x), elementwise, exact near 0.",
                    "{positive(3, 4)}, {full(1e-5)}, {full(2e38)}, {full(1.5e308)}, {randn(0)}", wide_log1p(x),
                    .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Sqrt, "sqrt", "Square root, elementwise. Of less than 0: NaN.", "{positive(3, 4)}, {full(0)}, {full(-1)}, {randn(0)}",
                    sqrt(x))
MT_COMPLEX_FUNCTION(Rsqrt, "rsqrt", "1 / sqrt(x), elementwise. Of 0: inf.", "{positive(3, 4)}, {full(0)}, {randn(0)}", V(1) / sqrt(x),
                    .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Cinv, "cinv", "1 / x, elementwise.", "{nonzero(3, 4)}, {full(inf)}, {randn(0)}", V(1) / x,
                    .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Sin, "sin", "Sine of x in radians, elementwise.", "{randn(3, 4)}, {full(1e5)}, {full(inf)}, {randn(0)}", sin(x))
MT_COMPLEX_FUNCTION(Cos, "cos", "Cosine of x in radians, elementwise.", "{randn(3, 4)}, {full(1e5)}, {full(inf)}, {randn(0)}", cos(x))
MT_COMPLEX_FUNCTION(Tan, "tan", "Tangent of x in radians, elementwise.", "{randn(3, 4)}, {randn(0)}", tan(x),
                    .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Asin, "asin", "Arc sine, elementwise, in radians. Outside -1..1: NaN.", "{unit(3, 4)}, {full(2)}, {randn(0)}", asin(x),
                    .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Acos, "acos", "Arc cosine, elementwise, in radians. Outside -1..1: NaN.", "{unit(3, 4)}, {full(2)}, {randn(0)}",
                    acos(x), .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Atan, "atan", "Arc tangent, elementwise, in radians.", "{randn(3, 4)}, {full(inf)}, {randn(0)}", atan(x))
MT_COMPLEX_FUNCTION(Sinh, "sinh", "Hyperbolic sine, elementwise.", "{randn(3, 4)}, {full(89)}, {full(-710)}, {randn(0)}", wide_sinh(x),
                    .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Cosh, "cosh", "Hyperbolic cosine, elementwise.", "{randn(3, 4)}, {full(-89)}, {full(710)}, {randn(0)}", wide_cosh(x),
                    .precision = Precision::float32)
MT_COMPLEX_FUNCTION(Tanh, "tanh", "Hyperbolic tangent, elementwise.", "{randn(3, 4)}, {full(50)}, {full(-inf)}, {randn(0)}", tanh(x))
MT_FUNCTION(Erf, "erf", "Error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x, elementwise. Source: DLMF 7.2.1.",
            "{randn(3, 4)}, {full(inf)}, {randn(0)}", erf(x))
MT_FUNCTION(Softplus, "softplus", "log(1 + exp(x)), elementwise, without overflow.",
            "{randn(3, 4)}, {full(1e3)}, {full(-1e3)}, {full(inf)}, {randn(0)}", select(x < V(0), V(0), x) + log1p(exp(V(0) - abs(x))),
            .precision = Precision::float32)

struct Sigmoid {
  static constexpr Decl decl{.name = "sigmoid",
                             .signature = "[res] x:tensor",
                             .result = Rule::float_result,
                             .ulp = 16,
                             .doc = "1 / (1 + exp(-x)), elementwise.",
                             .samples = "{randn(3, 4)}, {full(100)}, {full(-100)}, {full(-inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const {
    const V e = exp(V(0) - abs(x));  // at most 1: a larger value would hide the 1 that is added
    const V sum = V(1) + e, lost = e - (sum - V(1)), quotient = select(x < V(0), e, V(1)) / sum;
    return quotient - quotient * lost;
  }
};

// Derivatives of tanh and sigmoid, each in one pass.
struct TanhGrad {
  static constexpr Decl decl{.name = "tanh_grad",
                             .signature = "[res] g:tensor y:tensor",
                             .result = Rule::float_result,
                             .dtypes = any_number_dtypes,
                             .doc = "g * (1 - y * y): the gradient of tanh from its output y.",
                             .samples = "{randn(3, 4), unit(3, 4)}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V g, V y) const { return g * (V(1) - y * y); }
};

struct SigmoidGrad {
  static constexpr Decl decl{.name = "sigmoid_grad",
                             .signature = "[res] g:tensor y:tensor",
                             .result = Rule::float_result,
                             .doc = "g * y * (1 - y): the gradient of sigmoid from its output y.",
                             .samples = "{randn(3, 4), unit(3, 4)}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V g, V y) const { return g * y * (V(1) - y); }
};

struct Atan2 {
  static constexpr Decl decl{.name = "atan2",
                             .signature = "[res] y:tensor x:tensor",
                             .result = Rule::float_result,
                             .ulp = 16,
                             .doc = "Angle of the point (x, y) in radians, in -pi..pi, elementwise and broadcast.",
                             .samples = "{nonzero(3, 4), nonzero(3, 4)}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V y, V x) const { return atan2(y, x); }
};

template <class V> MT_FN V angle(V x) { return select(x < V(0), V(3.14159265358979323846), select(x == x, V(0), x)); }

struct Angle {
  static constexpr Decl decl{.name = "angle",
                             .signature = "[res] z:tensor",
                             .result = Rule::real,
                             .method = Method::returns,
                             .dtypes = inexact_dtypes,
                             .ulp = 16,
                             .doc =
                                 "The angle of complex numbers in radians, in -pi..pi, elementwise, as a real tensor: atan2(imag(z), "
                                 "real(z)). Of real numbers: 0, or pi where they are negative.",
                             .samples = "{randn(3, 4)}, {full(nan)}, {randn(0)}"};
  template <class V> MT_FN auto operator()(V z) const { return angle(z); }
};

struct LogAddExp {
  static constexpr Decl decl{
      .name = "logaddexp",
      .signature = "[res] a:tensor b:tensor|number",
      .result = Rule::float_result,
      .ulp = 16,
      .doc = "log(exp(a) + exp(b)), elementwise and broadcast, without overflow. NaN in, NaN out.",
      .samples = "{randn(3, 4), randn(3, 4)}, {randn(5, 1), randn(1, 4)}, {full(1e4), full(-1e4)}, {full(inf), full(inf)}, {randn(0), 1}",
      .precision = Precision::float32};
  template <class V> MT_FN V operator()(V a, V b) const {
    const V hi = select(a > b, a, b), lo = select(a > b, b, a);
    // Equal operands include two infinities, whose difference would be NaN.
    return select(hi == lo, hi + V(0.69314718055994530942), hi + log1p(exp(lo - hi)));
  }
};

using ElementaryOps = List<Exp, Expm1, Log, Log1p, Sqrt, Rsqrt, Cinv, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Erf, Sigmoid,
                           Softplus, TanhGrad, SigmoidGrad, Atan2, Angle, LogAddExp>;
