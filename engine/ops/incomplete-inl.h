// Incomplete gamma and beta functions, their inverses and derivatives; of floats, integers are converted. Included once for each CPU
// instruction set: no include guard. `of` computes one element, by engine/ops/incomplete_gamma.h or incomplete_beta.h; `element` applies it
// in long double. GPUs have no kernels of these ops (docs/gpu.md).

#undef MT_INCOMPLETE
#define MT_INCOMPLETE(word, arguments, text, sample_list, ...)                                           \
  static constexpr Decl decl {                                                                           \
    .name = word, .signature = "[res] " arguments, .result = Rule::float_result, .ulp = 64, .doc = text, \
    .samples = sample_list __VA_OPT__(, ) __VA_ARGS__                                                    \
  }

#undef MT_OF_TWO
#define MT_OF_TWO(expression)                                                         \
  template <class Wide> MT_FN static double of(Wide a, Wide x) { return expression; } \
  template <class V> MT_FN V operator()(V a, V x) const { return element(*this, a, x); }

#undef MT_OF_THREE
#define MT_OF_THREE(expression)                                                               \
  template <class Wide> MT_FN static double of(Wide a, Wide b, Wide x) { return expression; } \
  template <class V> MT_FN V operator()(V a, V b, V x) const { return element(*this, a, b, x); }

struct Gammainc {
  MT_INCOMPLETE(
      "gammainc", "a:tensor x:tensor",
      "The regularised lower incomplete gamma function P(a, x), the integral of t^(a - 1) exp(-t) / gamma(a) over t from 0 to x, "
      "elementwise and broadcast: the distribution function of the gamma distribution. NaN for a or x below 0. Source: DLMF 8.2.4.",
      "{positive(3, 4), positive(3, 4)}, {positive(3, 1), positive(1, 4)}, {full(1), full(0)}, {full(1), full(inf)}, {full(-1), "
      "full(1)}, {full(0), full(1)}, {randn(0), randn(0)}",
      .alias = "igamma");
  MT_OF_TWO(incomplete_gamma(a, x, false))
};

struct Gammaincc {
  MT_INCOMPLETE(
      "gammaincc", "a:tensor x:tensor",
      "The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x), elementwise and broadcast, exact where it is small. "
      "NaN for a or x below 0. Source: DLMF 8.2.4.",
      "{positive(3, 4), positive(3, 4)}, {positive(3, 1), positive(1, 4)}, {full(1), full(0)}, {full(1), full(inf)}, {full(-1), "
      "full(1)}, {full(0), full(1)}, {randn(0), randn(0)}",
      .alias = "igammac");
  MT_OF_TWO(incomplete_gamma(a, x, true))
};

struct Gammaincinv {
  MT_INCOMPLETE(
      "gammaincinv", "a:tensor p:tensor",
      "The x with gammainc(a, x) = p, elementwise and broadcast. Of p = 0 and 1: 0 and inf; of p outside 0..1, or a not above 0: NaN.",
      "{positive(3, 4), constant(0.3, 3, 4)}, {positive(3, 1), constant(0.75, 1, 4)}, {full(1), full(0)}, {full(1), full(1)}, "
      "{full(1), full(2)}, {full(0), full(0.5)}, {randn(0), randn(0)}");
  MT_OF_TWO(inverse_incomplete_gamma(a, x, false))
};

struct Gammainccinv {
  MT_INCOMPLETE(
      "gammainccinv", "a:tensor q:tensor",
      "The x with gammaincc(a, x) = q, elementwise and broadcast. Of q = 0 and 1: inf and 0; of q outside 0..1, or a not above 0: NaN.",
      "{positive(3, 4), constant(0.3, 3, 4)}, {positive(3, 1), constant(0.75, 1, 4)}, {full(1), full(0)}, {full(1), full(1)}, "
      "{full(1), full(2)}, {full(0), full(0.5)}, {randn(0), randn(0)}");
  MT_OF_TWO(inverse_incomplete_gamma(a, x, true))
};

struct GammaincDensity {
  MT_INCOMPLETE("gammainc_density", "a:tensor x:tensor",
                "The derivative of gammainc for x, x^(a - 1) exp(-x) / gamma(a), elementwise and broadcast: the density of the gamma "
                "distribution. NaN for a or x below 0.",
                "{positive(3, 4), positive(3, 4)}, {positive(3, 1), positive(1, 4)}, {full(0.5), full(0)}, {full(1), full(0)}, {full(2), "
                "full(0)}, {full(-1), full(1)}, {randn(0), randn(0)}");
  MT_OF_TWO(incomplete_gamma_density(a, x))
};

struct GammaincSlope {
  MT_INCOMPLETE(
      "gammainc_slope", "a:tensor logx:tensor",
      "The derivative for a of log(x) with gammainc(a, x) constant, elementwise and broadcast, from log(x): that of the logarithm "
      "of samples of the gamma distribution. Source: Figurnov, Mohamed & Mnih (2018).",
      "{positive(3, 4), randn(3, 4)}, {positive(3, 1), randn(1, 4)}, {full(1), full(-inf)}, {full(-1), full(1)}, {randn(0), randn(0)}");
  MT_OF_TWO(incomplete_gamma_slope(a, x))
};

struct Betaln {
  MT_INCOMPLETE(
      "betaln", "a:tensor b:tensor",
      "Logarithm of the beta function gamma(a) gamma(b) / gamma(a + b), elementwise and broadcast, exact for large a or b. Of a or "
      "b = 0: inf; below 0: NaN. Source: DLMF 5.12.1.",
      "{positive(3, 4), positive(3, 4)}, {positive(3, 1), positive(1, 4)}, {full(30), full(40)}, {full(3), full(40)}, {full(0), "
      "full(1)}, {full(-1), full(1)}, {randn(0), randn(0)}");
  MT_OF_TWO(log_beta_of(a, x))
};

struct Betainc {
  MT_INCOMPLETE(
      "betainc", "a:tensor b:tensor x:tensor",
      "The regularised incomplete beta function I_x(a, b), the integral of t^(a - 1) (1 - t)^(b - 1) / B(a, b) over t from 0 to x, "
      "elementwise and broadcast: the distribution function of the beta distribution. NaN for x outside 0..1, or a or b below 0. "
      "Source: DLMF 8.17.2.",
      "{positive(3, 4), positive(3, 4), constant(0.3, 3, 4)}, {positive(3, 1), positive(1, 4), constant(0.75, 1, 1)}, {full(2), "
      "full(3), full(0)}, {full(2), full(3), full(1)}, {full(2), full(3), full(2)}, {full(0), full(1), full(0.5)}, {randn(0), "
      "randn(0), randn(0)}");
  MT_OF_THREE(incomplete_beta(a, b, x))
};

struct Betaincinv {
  MT_INCOMPLETE("betaincinv", "a:tensor b:tensor p:tensor",
                "The x with betainc(a, b, x) = p, elementwise and broadcast. NaN for p outside 0..1, or a or b not above 0.",
                "{positive(3, 4), positive(3, 4), constant(0.3, 3, 4)}, {positive(3, 1), positive(1, 4), constant(0.75, 1, 1)}, {full(2), "
                "full(3), full(0)}, {full(2), full(3), full(1)}, {full(2), full(3), full(2)}, {full(0), full(1), full(0.5)}, {randn(0), "
                "randn(0), randn(0)}");
  MT_OF_THREE(inverse_incomplete_beta(a, b, x))
};

struct BetaincDensity {
  MT_INCOMPLETE(
      "betainc_density", "a:tensor b:tensor x:tensor",
      "The derivative of betainc for x, x^(a - 1) (1 - x)^(b - 1) / B(a, b), elementwise and broadcast: the density of the beta "
      "distribution. NaN for x outside 0..1, or a or b below 0.",
      "{positive(3, 4), positive(3, 4), constant(0.3, 3, 4)}, {positive(3, 1), positive(1, 4), constant(0.75, 1, 1)}, {full(2), "
      "full(3), full(0)}, {full(1), full(3), full(0)}, {full(0.5), full(3), full(0)}, {full(2), full(1), full(1)}, {full(2), full(3), "
      "full(2)}, {randn(0), randn(0), randn(0)}");
  MT_OF_THREE(incomplete_beta_density(a, b, x))
};

#undef MT_SLOPE_SAMPLES
#define MT_SLOPE_SAMPLES                                                                                                               \
  "{positive(3, 4), positive(3, 4), constant(0.3, 3, 4)}, {positive(3, 1), positive(1, 4), constant(0.75, 1, 1)}, {full(2), full(3), " \
  "full(0)}, {full(2), full(3), full(1)}, {full(2), full(3), full(2)}, {full(0), full(1), full(0.5)}, {randn(0), randn(0), randn(0)}"

struct BetaincSlopeA {
  MT_INCOMPLETE("betainc_slope_a", "a:tensor b:tensor x:tensor",
                "The derivative of betainc for a, divided by x (1 - x) betainc_density(a, b, x), elementwise and broadcast.",
                MT_SLOPE_SAMPLES);
  MT_OF_THREE(incomplete_beta_slope(a, b, x, true))
};

struct BetaincSlopeB {
  MT_INCOMPLETE("betainc_slope_b", "a:tensor b:tensor x:tensor",
                "The derivative of betainc for b, divided by x (1 - x) betainc_density(a, b, x), elementwise and broadcast.",
                MT_SLOPE_SAMPLES);
  MT_OF_THREE(incomplete_beta_slope(a, b, x, false))
};

using IncompleteOps = List<Gammainc, Gammaincc, Gammaincinv, Gammainccinv, GammaincDensity, GammaincSlope, Betaln, Betainc, Betaincinv,
                           BetaincDensity, BetaincSlopeA, BetaincSlopeB>;
