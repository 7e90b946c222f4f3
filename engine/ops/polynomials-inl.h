// Orthogonal polynomials (DLMF 18.3); of floats, integers are converted. Included once for each CPU instruction set: no include guard. `of`
// computes one element, by engine/ops/polynomials.h; `element` applies it in the widest float of the device.

#undef MT_POLYNOMIAL
#define MT_POLYNOMIAL(Name, word, text, expression)                                                                             \
  struct Name {                                                                                                                 \
    static constexpr Decl decl{.name = word,                                                                                    \
                               .signature = "[res] x:tensor n:tensor|number",                                                   \
                               .result = Rule::float_result,                                                                    \
                               .ulp = 64,                                                                                       \
                               .doc = text " A fraction n is truncated; of n < 0: 0.",                                          \
                               .samples =                                                                                       \
                                   "{unit(3, 4), 0}, {unit(3, 4), 1}, {unit(3, 4), 4}, {unit(2, 3), range(3)}, {unit(3), -1}, " \
                                   "{unit(3), 2.5}, {full(3), 5}, {full(nan), 3}, {randn(0), 2}"};                              \
    template <class Wide> MT_FN static double of(Wide x, Wide n) { return expression; }                                         \
    template <class V> MT_FN V operator()(V x, V n) const { return element(*this, x, n); }                                      \
  };

MT_POLYNOMIAL(ChebyshevT, "chebyshevPolynomialT", "Chebyshev polynomial T_n(x) of the first kind, elementwise and broadcast.",
              chebyshev(x, n, x))
MT_POLYNOMIAL(ShiftedChebyshevT, "shiftedChebyshevPolynomialT",
              "Chebyshev polynomial T_n(2 x - 1) of the first kind, elementwise and broadcast.", chebyshev(2 * x - 1, n, (2 * x - 1)))
MT_POLYNOMIAL(ChebyshevU, "chebyshevPolynomialU", "Chebyshev polynomial U_n(x) of the second kind, elementwise and broadcast.",
              chebyshev(x, n, 2 * x))
MT_POLYNOMIAL(ShiftedChebyshevU, "shiftedChebyshevPolynomialU",
              "Chebyshev polynomial U_n(2 x - 1) of the second kind, elementwise and broadcast.", chebyshev(2 * x - 1, n, 2 * (2 * x - 1)))
MT_POLYNOMIAL(ChebyshevV, "chebyshevPolynomialV", "Chebyshev polynomial V_n(x) of the third kind, elementwise and broadcast.",
              chebyshev(x, n, 2 * x - 1))
MT_POLYNOMIAL(ShiftedChebyshevV, "shiftedChebyshevPolynomialV",
              "Chebyshev polynomial V_n(2 x - 1) of the third kind, elementwise and broadcast.",
              chebyshev(2 * x - 1, n, 2 * (2 * x - 1) - 1))
MT_POLYNOMIAL(ChebyshevW, "chebyshevPolynomialW", "Chebyshev polynomial W_n(x) of the fourth kind, elementwise and broadcast.",
              chebyshev(x, n, 2 * x + 1))
MT_POLYNOMIAL(ShiftedChebyshevW, "shiftedChebyshevPolynomialW",
              "Chebyshev polynomial W_n(2 x - 1) of the fourth kind, elementwise and broadcast.",
              chebyshev(2 * x - 1, n, 2 * (2 * x - 1) + 1))
MT_POLYNOMIAL(HermiteH, "hermitePolynomialH", "Hermite polynomial H_n(x), orthogonal for the weight exp(-x^2), elementwise and broadcast.",
              hermite_h(x, n))
MT_POLYNOMIAL(HermiteHe, "hermitePolynomialHe",
              "Hermite polynomial He_n(x), orthogonal for the weight exp(-x^2 / 2), elementwise and broadcast.", hermite_he(x, n))
MT_POLYNOMIAL(LaguerreL, "laguerrePolynomialL", "Laguerre polynomial L_n(x), elementwise and broadcast.", laguerre_l(x, n))
MT_POLYNOMIAL(LegendreP, "legendrePolynomialP", "Legendre polynomial P_n(x), elementwise and broadcast.", legendre_p(x, n))

using PolynomialsOps = List<ChebyshevT, ShiftedChebyshevT, ChebyshevU, ShiftedChebyshevU, ChebyshevV, ShiftedChebyshevV, ChebyshevW,
                            ShiftedChebyshevW, HermiteH, HermiteHe, LaguerreL, LegendreP>;
