// Special functions, and ops that the elementary family lacks; of floats, integers are converted. Included once for each CPU instruction
// set: no include guard. engine/cpu/special.cpp has functions of lanes that Highway lacks.

#undef MT_SPECIAL
#undef MT_COMPLEX_SPECIAL
#undef MT_SPECIAL_OF
#define MT_SPECIAL_OF(set, Name, word, text, sample_list, expression, ...)         \
  struct Name {                                                                    \
    static constexpr Decl decl{.name = word,                                       \
                               .signature = "[res] x:tensor",                      \
                               .result = Rule::float_result,                       \
                               .dtypes = set,                                      \
                               .ulp = 64,                                          \
                               .doc = text,                                        \
                               .samples = sample_list __VA_OPT__(, ) __VA_ARGS__}; \
    template <class V> MT_FN V operator()(V x) const { return expression; }        \
  };

#define MT_SPECIAL(...) MT_SPECIAL_OF(number_dtypes, __VA_ARGS__)
#define MT_COMPLEX_SPECIAL(...) MT_SPECIAL_OF(any_number_dtypes, __VA_ARGS__)

MT_COMPLEX_SPECIAL(Exp2, "exp2", "2 to the power of x, elementwise.", "{randn(3, 4)}, {full(5)}, {full(-inf)}, {full(inf)}, {randn(0)}",
                   exp2(x), .precision = Precision::float32)
MT_COMPLEX_SPECIAL(Log2, "log2", "Logarithm to base 2, elementwise. Of 0: -inf; of less: NaN.",
                   "{positive(3, 4)}, {full(8)}, {full(0)}, {full(-1)}, {randn(0)}", log2(x), .precision = Precision::float32)
MT_COMPLEX_SPECIAL(Log10, "log10", "Logarithm to base 10, elementwise. Of 0: -inf; of less: NaN.",
                   "{positive(3, 4)}, {full(100)}, {full(0)}, {full(-1)}, {randn(0)}", log10(x), .precision = Precision::float32)
MT_COMPLEX_SPECIAL(Asinh, "asinh", "Inverse hyperbolic sine, elementwise.", "{randn(3, 4)}, {full(1e30)}, {full(-inf)}, {randn(0)}",
                   wide_asinh(x))
MT_COMPLEX_SPECIAL(Acosh, "acosh", "Inverse hyperbolic cosine, elementwise. Below 1: NaN.",
                   "{above(3, 4)}, {full(1)}, {full(1e30)}, {full(0.5)}, {randn(0)}", wide_acosh(x))
MT_COMPLEX_SPECIAL(Atanh, "atanh", "Inverse hyperbolic tangent, elementwise. Of -1 and 1: -inf and inf; beyond: NaN.",
                   "{unit(3, 4)}, {full(1)}, {full(-1)}, {full(2)}, {randn(0)}", atanh(x))
MT_SPECIAL(Erfc, "erfc",
           "2 / sqrt(pi) times the integral of exp(-t^2) from x to infinity, elementwise: 1 - erf(x), exact where that is small. Source: "
           "DLMF 7.2.2.",
           "{randn(3, 4)}, {full(5)}, {full(-inf)}, {randn(0)}", erfc(x))
MT_SPECIAL(Erfinv, "erfinv",
           "The inverse of erf, elementwise: the y with erf(y) = x. Of -1 and 1: -inf and inf; beyond: NaN. Source: DLMF 7.17.",
           "{unit(3, 4)}, {full(1)}, {full(-1)}, {full(2)}, {full(1e-4)}, {randn(0)}", erfinv(x), .precision = Precision::float32)
MT_SPECIAL(Lgamma, "lgamma",
           "Logarithm of the magnitude of the gamma function, elementwise; gamma(x) is the integral of t^(x - 1) exp(-t) over t > 0, (x - "
           "1)! for whole x. Of 0 and negative whole numbers: inf. Source: DLMF 5.2.1.",
           "{positive(3, 4)}, {full(-0.5)}, {full(30)}, {full(0)}, {full(4.06e36)}, {full(inf)}, {randn(0)}", wide_lgamma(x),
           .precision = Precision::float32)
MT_SPECIAL(Digamma, "digamma",
           "Derivative of lgamma, gamma'(x) / gamma(x), elementwise. Of 0: -inf; of negative whole numbers: NaN. Source: DLMF 5.2.2.",
           "{positive(3, 4)}, {full(-0.25)}, {full(30)}, {full(-1)}, {randn(0)}", digamma(x), .precision = Precision::float32)
MT_SPECIAL(Trigamma, "trigamma",
           "Derivative of digamma, the sum of 1 / (x + k)^2 over k = 0, 1, ..., elementwise. Of 0 and negative whole numbers: inf. Source: "
           "DLMF 5.15.1.",
           "{positive(3, 4)}, {full(-0.25)}, {full(30)}, {full(-1)}, {randn(0)}", trigamma(x), .precision = Precision::float32)

struct Hypot {
  static constexpr Decl decl{
      .name = "hypot",
      .signature = "[res] x:tensor y:tensor|number",
      .result = Rule::float_result,
      .doc = "sqrt(x^2 + y^2), elementwise and broadcast, without overflow in between.",
      .samples = "{nonzero(3, 4), nonzero(3, 4)}, {nonzero(3, 1), nonzero(1, 4)}, {nonzero(3), 2}, {full(3e4), 4e4}, {randn(0), 1}"};
  template <class V> MT_FN V operator()(V x, V y) const { return hypot(x, y); }
};

struct Polygamma {
  static constexpr Decl decl{
      .name = "polygamma",
      .signature = "[res] x:tensor n:number",
      .forms = "x n | n x",
      .result = Rule::float_result,
      .ulp = 64,
      .doc =
          "The n-th derivative of digamma, with an integer n from 0 to 150, elementwise: polygamma(x, 1) is trigamma; from n = 1 on it is "
          "(-1)^(n + 1) n! times the sum of 1 / (x + k)^(n + 1) over k = 0, 1, ... NaN for other n. Source: DLMF 5.15.",
      .samples = "{positive(3, 4), 2}, {positive(3), 0}, {1, positive(3)}, {full(-0.25), 3}, {randn(0), 1}",
      .precision = Precision::float32};
  template <class V> MT_FN V operator()(V x, V n) const { return polygamma(x, n); }
};

using SpecialOps = List<Exp2, Log2, Log10, Asinh, Acosh, Atanh, Erfc, Erfinv, Lgamma, Digamma, Trigamma, Polygamma, Hypot>;
