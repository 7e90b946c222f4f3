// Powers. Included once for each CPU instruction set: no include guard.

struct Pow {
  static constexpr Decl decl{
      .name = "pow",
      .signature = "[res] x:tensor|number y:tensor|number",
      .result = Rule::float_result,
      .dtypes = any_number_dtypes,
      .ulp = 16,
      .doc = "x to the power of y, elementwise and broadcast; one of them may be a number.",
      .samples =
          "{positive(3, 4), 2.5}, {randn(3, 4), 2}, {randn(3, 4), 3}, {positive(3, 4), randn(3, 4)}, {2, randn(3)}, {positive(3), 0.5}, "
          "{nonzero(3), -1}, {nonzero(3), -2}, {positive(3), -0.5}, {randn(3), 1}, {randn(0), 2}",
      .alias = "cpow",
      .precision = Precision::float32};
  template <class V> MT_FN V operator()(V x, V y) const { return pow(x, y); }
};

// Powers by a constant that products, roots and quotients compute exactly rounded or nearly so, many times faster: the exponent isn't read.
#undef MT_POWER
#define MT_POWER(Name, number, expression)                                     \
  struct Name {                                                                \
    static constexpr Decl decl = Pow::decl;                                    \
    static constexpr double exponent = number;                                 \
    template <class V> MT_FN V operator()(V x, V) const { return expression; } \
  };

MT_POWER(PowerOne, 1, x)
MT_POWER(PowerSquare, 2, x* x)
MT_POWER(PowerCube, 3, x* x* x)
MT_POWER(PowerRoot, 0.5, sqrt(x))
MT_POWER(PowerInverseRoot, -0.5, V(1) / sqrt(x))
MT_POWER(PowerInverse, -1, V(1) / x)
MT_POWER(PowerInverseSquare, -2, V(1) / (x * x))

using SpecialPowers = List<PowerOne, PowerSquare, PowerCube, PowerRoot, PowerInverseRoot, PowerInverse, PowerInverseSquare>;
