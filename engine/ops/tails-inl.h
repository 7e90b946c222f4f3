// exp(-|x|) and the tail of the normal distribution beyond |x|, for products that keep their digits if these are tiny. V is a vector or one
// element. Included inside a device's namespace, once for each CPU instruction set: no include guard. The including file defines the
// functions of V: polynomial, exp, least, mul_add, rest_of_square.

// exp(-a), with a = |x| limited to where exp becomes 0. If exp(-a) is subnormal, a product with it may still have all digits: so it is
// multiplied in two parts.
template <class V> struct SmallExp {
  static constexpr double far = std::is_same_v<typename V::Element, float> ? 87 : 708, end = 1000;
  V a, part;
  typename V::Mask is_far;

  bool some_far;

  // `least` returns a NaN in its second operand.
  MT_FN explicit SmallExp(V magnitude) : a(least(V(end), magnitude)), is_far(a > V(far)) {
    some_far = any(is_far);
    part = exp(V(0) - (some_far ? select(is_far, a * V(0.5), a) : a));
  }
  MT_FN V value() const { return part; }  // only for sums with 1: in two parts it is too small to matter there
  MT_FN V times(V y) const {
    const V product = y * part;
    return some_far ? select(is_far, product * part, product) : product;
  }
};
template <class V> MT_FN SmallExp<V> small_exp(V x) { return SmallExp<V>(abs(x)); }

// exp(z^2 / 2) erfc(z / sqrt(2)) / 2 for floats z up to 15: t = 1 / (1 + 0.35 z) times a polynomial in t, which bench/minimax.py fitted.
template <class V> MT_FN V single_tail_ratio(V z) {
  constexpr float by_t[] = {0.139621258F, 0.139864326F,  0.119815573F, 0.105574474F,  -0.0232630167F,
                            0.159391671F, -0.255900741F, 0.144060239F, -0.0291638076F};
  const V t = V(1) / mul_add(z, V(0.35F), V(1));
  return t * polynomial(t, by_t);
}
// The same for doubles up to 6; beyond 6 this times z, as a function of 1 / z^2. Fitted by bench/rational.py.
template <class V> MT_FN V double_tail_ratio(V z) {
  constexpr double twice_above[] = {0.5,
                                    0.7166339553075248,
                                    0.5130882087457012,
                                    0.23353387084733004,
                                    0.07352547359676455,
                                    0.01650341597365053,
                                    0.002635677247753932,
                                    0.00028913115887942565,
                                    1.9853113162163343e-05,
                                    6.555596981050427e-07};
  constexpr double twice_below[] = {1.0,
                                    2.2311524714179143,
                                    2.3063785272329356,
                                    1.4576768444994963,
                                    0.6253202356915832,
                                    0.19080795585016375,
                                    0.04208939974825525,
                                    0.006656426882559802,
                                    0.0007263876031399067,
                                    4.97643743314563e-05,
                                    1.6432444799333906e-06};
  constexpr double far_tail_above[] = {0.39894228040143265, 17.346773959360213, 240.50425613377988,
                                       1230.7023774719562,  1973.685913996329,  446.65972810276224};
  constexpr double far_tail_below[] = {1.0, 44.48191408016475, 644.3366826744947, 3610.804317316256, 7187.319938072591, 3413.9589521736493};
  const auto far = z > V(6);
  V result = polynomial(z, twice_above) / polynomial(z, twice_below);
  if (any(far)) {
    const V inverse = V(1) / z, square = inverse * inverse;
    result = select(far, inverse * (polynomial(square, far_tail_above) / polynomial(square, far_tail_below)), result);
  }
  return result;
}
template <class V> MT_FN V tail_ratio(V z) {
  if constexpr (std::is_same_v<typename V::Element, float>)
    return single_tail_ratio(z);
  else
    return double_tail_ratio(z);
}

// exp(-z^2 / 2) y for floats: 2^n exp(-r / 2) y with r = z^2 + 2 n log(2) within -log(2)..log(2), without the rounding error of z^2, which
// exp would multiply. log(2) is in two parts, so that n times the first one is exact. The polynomial, by bench/minimax.py, is (exp(-r / 2)
// - 1) / r. A subnormal result is rounded once.
template <class V> MT_FN V single_tail_times(V z, V y) {
  constexpr float by_r[] = {-0.499999851F, 0.124997869F, -0.0208345484F, 0.00261863507F, -0.000259071006F};
  const V n = nearest(z * z * V(-0.72134752F));
  const V r = mul_add(n, V(-4.24388880e-4F), square_plus(z, n * V(1.38671875F)));
  return scaled(mul_add(r * polynomial(r, by_r), y, y), n);
}

// The tail of the normal distribution beyond z = |x|, limited to where it becomes 0: exp(-z^2 / 2) times `ratio`. An error in z^2 would
// cause one many times as large in exp.
template <class V> struct NormalTail {
  static constexpr bool is_single = std::is_same_v<typename V::Element, float>;
  V z, ratio;

  MT_FN explicit NormalTail(V magnitude) : z(least(V(is_single ? 15 : 40), magnitude)), ratio(tail_ratio(z)) {}
  MT_FN V times(V y) const {
    if constexpr (is_single) {
      return single_tail_times(z, y);
    } else {
      const V square = z * z;
      return SmallExp<V>(square * V(0.5)).times(y - y * (rest_of_square(z, square) * V(0.5)));
    }
  }
};
template <class V> MT_FN NormalTail<V> normal_tail(V x) { return NormalTail<V>(abs(x)); }
