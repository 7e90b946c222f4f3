// Special functions that few programs need: Bessel functions, functions of the normal distribution, Hurwitz's zeta function; of floats,
// integers are converted. Included once for each CPU instruction set: no include guard. `of` computes one element, by engine/ops/bessel.h
// or normal_tails.h; `element` applies it in the widest float of the device.

#undef MT_RARE
#define MT_RARE(Name, word, text, sample_list, expression, ...)                    \
  struct Name {                                                                    \
    static constexpr Decl decl{.name = word,                                       \
                               .signature = "[res] x:tensor",                      \
                               .result = Rule::float_result,                       \
                               .ulp = 64,                                          \
                               .doc = text,                                        \
                               .samples = sample_list __VA_OPT__(, ) __VA_ARGS__,  \
                               .precision = Precision::float32};                   \
    template <class Wide> MT_FN static double of(Wide x) { return expression; }    \
    template <class V> MT_FN V operator()(V x) const { return element(*this, x); } \
  };

MT_RARE(BesselJ0, "besselJ0", "Bessel function J_0(x) of the first kind, elementwise. Source: DLMF 10.2.",
        "{randn(3, 4)}, {full(0)}, {full(-20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_j(0, x))
MT_RARE(BesselJ1, "besselJ1", "Bessel function J_1(x) of the first kind, elementwise. Source: DLMF 10.2.",
        "{randn(3, 4)}, {full(0)}, {full(-20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_j(1, x))
MT_RARE(BesselY0, "besselY0", "Bessel function Y_0(x) of the second kind, elementwise. Of 0: -inf; below: NaN. Source: DLMF 10.2.",
        "{positive(3, 4)}, {full(0)}, {full(-1)}, {full(20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_y(0, x))
MT_RARE(BesselY1, "besselY1", "Bessel function Y_1(x) of the second kind, elementwise. Of 0: -inf; below: NaN. Source: DLMF 10.2.",
        "{positive(3, 4)}, {full(0)}, {full(-1)}, {full(20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_y(1, x))
MT_RARE(BesselI0, "i0", "Modified Bessel function I_0(x) of the first kind, elementwise. Source: DLMF 10.25.2.",
        "{randn(3, 4)}, {full(0)}, {full(-20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_i(0, x, false), .alias = "modifiedBesselI0")
MT_RARE(BesselI0e, "i0e", "exp(-|x|) I_0(x), elementwise, without overflow: a modified Bessel function of the first kind.",
        "{randn(3, 4)}, {full(0)}, {full(-20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_i(0, x, true))
MT_RARE(BesselI1, "i1", "Modified Bessel function I_1(x) of the first kind, elementwise. Source: DLMF 10.25.2.",
        "{randn(3, 4)}, {full(0)}, {full(-20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_i(1, x, false), .alias = "modifiedBesselI1")
MT_RARE(BesselI1e, "i1e", "exp(-|x|) I_1(x), elementwise, without overflow: a modified Bessel function of the first kind.",
        "{randn(3, 4)}, {full(0)}, {full(-20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_i(1, x, true))
MT_RARE(BesselK0, "modifiedBesselK0",
        "Modified Bessel function K_0(x) of the second kind, elementwise. Of 0: inf; below: NaN. Source: DLMF 10.25.3.",
        "{positive(3, 4)}, {full(0)}, {full(-1)}, {full(20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_k(0, x, false))
MT_RARE(BesselK0e, "scaledModifiedBesselK0",
        "exp(x) K_0(x), elementwise, without underflow: a modified Bessel function of the second kind.",
        "{positive(3, 4)}, {full(0)}, {full(-1)}, {full(20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_k(0, x, true))
MT_RARE(BesselK1, "modifiedBesselK1",
        "Modified Bessel function K_1(x) of the second kind, elementwise. Of 0: inf; below: NaN. Source: DLMF 10.25.3.",
        "{positive(3, 4)}, {full(0)}, {full(-1)}, {full(20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_k(1, x, false))
MT_RARE(BesselK1e, "scaledModifiedBesselK1",
        "exp(x) K_1(x), elementwise, without underflow: a modified Bessel function of the second kind.",
        "{positive(3, 4)}, {full(0)}, {full(-1)}, {full(20)}, {full(60)}, {full(inf)}, {randn(0)}", bessel_k(1, x, true))
MT_RARE(SphericalBesselJ0, "sphericalBesselJ0",
        "sin(x) / x, elementwise; 1 at 0: the spherical Bessel function of the first kind of order 0.",
        "{randn(3, 4)}, {full(0)}, {full(-20)}, {full(60)}, {full(inf)}, {randn(0)}", spherical_bessel_j0(x))
MT_RARE(Erfcx, "erfcx", "exp(x^2) erfc(x), elementwise, without underflow.",
        "{randn(3, 4)}, {full(0)}, {full(-3)}, {full(60)}, {full(inf)}, {randn(0)}", erfcx_double(x))
MT_RARE(Ndtri, "ndtri", "The inverse of the normal distribution function, elementwise. Of 0 and 1: -inf and inf; beyond: NaN.",
        "{constant(0.3, 3, 4)}, {constant(0.875, 2)}, {full(0)}, {full(1)}, {full(2)}, {full(0.5)}, {full(1e-4)}, {randn(0)}", ndtri(x))
MT_RARE(LogNdtr, "logNdtr", "Logarithm of the normal distribution function, elementwise, without underflow.",
        "{randn(3, 4)}, {full(0)}, {full(-30)}, {full(7)}, {full(-inf)}, {full(inf)}, {randn(0)}", log_ndtr(x))

struct Zeta {
  static constexpr Decl decl{
      .name = "zeta",
      .signature = "[res] x:tensor q:tensor|number",
      .result = Rule::float_result,
      .ulp = 64,
      .doc =
          "Hurwitz's zeta function, the sum of (q + k)^-x over k = 0, 1, ..., elementwise and broadcast; with q = 1 Riemann's. Of x = 1: "
          "inf; "
          "below: NaN. Source: DLMF 25.11.1.",
      .samples =
          "{above(3, 4), positive(3, 4)}, {above(3, 4), 1}, {full(3), full(-0.5)}, {full(1), 2}, {full(0.5), 2}, {full(2), full(0)}, "
          "{full(2.5), full(-0.5)}, {randn(0), 1}",
      .precision = Precision::float32};
  template <class Wide> MT_FN static double of(Wide x, Wide q) { return zeta(x, q); }
  template <class V> MT_FN V operator()(V x, V q) const { return element(*this, x, q); }
};

using RareOps = List<BesselJ0, BesselJ1, BesselY0, BesselY1, BesselI0, BesselI0e, BesselI1, BesselI1e, BesselK0, BesselK0e, BesselK1,
                     BesselK1e, SphericalBesselJ0, Erfcx, Ndtri, LogNdtr, Zeta>;
