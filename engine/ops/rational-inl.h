// digamma and erfinv: ratios of polynomials, fitted by bench/rational.py to within 1e-16. V is a vector or one element of double. Included
// inside a device's namespace, once for each CPU instruction set: no include guard. The including file defines the functions of V:
// polynomial, mul_add, log, tan, round, each.

template <class V, size_t N, size_t M> MT_FN V ratio(V x, const double (&above)[N], const double (&below)[M]) {
  return polynomial(x, above) / polynomial(x, below);
}

// For x >= 1.
template <class V> MT_FN V digamma_above(V x) {
  // The positive root of digamma, in two parts.
  constexpr double root = 1.4616321449683622, root_rest = 9.549995429965697e-17;
  // digamma(x) / (x - root) - 1 as a function of x - 1, for x from 1 to 3.
  constexpr double near_above[] = {0.2503801375034053,   -0.30310782905739314,  -0.700518261731141,      -0.37179693147235116,
                                   -0.07882743148875981, -0.006742350184394537, -0.00017683511738680253, -1.578585859621291e-08};
  constexpr double near_below[] = {
      1.0, 2.2029923661052755, 1.7169749127558187, 0.6092694909208878, 0.10266883844857362, 0.007561224327355051, 0.00017933601981804436};
  // (digamma(z + 1/2) - log(z)) z^2 as a function of 1 / z^2, for z from 5/2: small next to the logarithm, which determines the error.
  constexpr double far_above[] = {0.04166666666666655, 0.6072640306450742, 2.599479627381958,
                                  3.7607674892680407,  1.5366541688325361, 0.06743427623216437};
  constexpr double far_below[] = {1.0, 14.749336735477609, 64.87638308223919, 100.3502035043366, 49.737322522912066, 5.3301122532501015};
  const auto far = x > V(3);
  const V from_root = (x - V(root)) - V(root_rest);
  V result = from_root + from_root * ratio(x - V(1), near_above, near_below);
  if (any(far)) {
    const V z = x - V(0.5), inverse = V(1) / z, square = inverse * inverse;
    result = select(far, log(z) + square * ratio(square, far_above, far_below), result);
  }
  return result;
}

// Below 1 by recurrence, below 0 by reflection: Abramowitz & Stegun, 6.3.5 and 6.3.7. If their terms cancel, better(x) computes the result
// more precisely; it may be nullptr.
template <class V, class Better> MT_FN V digamma(V x, Better better) {
  constexpr double pi = 3.14159265358979323846;
  const auto negative = x < V(0);
  const V y = select(negative, V(1) - x, x);
  const auto small = y < V(1);
  V result = digamma_above(select(small, y + V(1), y));
  if (any(small)) result = select(small, result - V(1) / y, result);
  if (any(negative)) {
    // The rounding error of 1 - x, times an approximation of trigamma.
    const V inverse = V(1) / y;
    const V above = result + ((V(1) - y) - x) * inverse * (V(1) + V(0.5) * inverse * (V(1) + V(1.0 / 3) * inverse));
    const V rest = x - round(x);
    // pi times the cotangent; beyond 1/4 the tangent of the difference to 1/2, because pi / 2 is not exact.
    const V part = abs(rest);
    const auto upper = part > V(0.25);
    const V slope = tan(V(pi) * select(upper, V(0.5) - part, part));
    const V nan(std::numeric_limits<double>::quiet_NaN());
    V reflected = above - copysign(V(pi) * select(upper, slope, V(1) / slope), rest);
    if constexpr (!std::is_null_pointer_v<Better>) {
      const V least = abs(reflected) * V(1.5);
      const auto cancelled = negative & ((least < abs(above)) | (least < abs(above - reflected)));
      if (any(cancelled)) reflected = select(cancelled, each(better, select(cancelled, x, nan)), reflected);
    }
    result = select(negative, select(rest == V(0), nan, reflected), result);
  }
  return result;
}

// The inverse of erf.
template <class V> MT_FN V inverse_of_erf(V x) {
  // erfinv(x) / x - 1 for |x| up to 27/32, as a function of (27/32)^2 - x^2.
  constexpr double middle_above[] = {0.18818840962849173, 1.2771033483981316,  1.34310238939921,  -8.432689662289432, -26.55197879378307,
                                     -29.35108725882117,  -13.685469961241006, -2.39584950069781, -0.1025327578965133};
  constexpr double middle_below[] = {1.0,
                                     11.388245660720631,
                                     51.39477363254558,
                                     117.43643475138626,
                                     144.27030485652432,
                                     93.64266271350608,
                                     29.51920347175958,
                                     3.7439279345592578,
                                     0.1201087616974591};
  // s - erfinv(x) as a function of s = sqrt(-log(1 - x)), for s up to 3 and from 3 to s at x = 1 - 2^-53.
  constexpr double tail_above[] = {0.0007926161985329348, 0.9906663519548994,  1.3049036801919753,   2.0412377486826956,
                                   1.2819754664951237,    0.20842749067680316, 0.007772826376730145, 1.345948658053271e-05};
  constexpr double tail_below[] = {1.0,
                                   2.1402149883490114,
                                   4.10638537677826,
                                   4.109416193808576,
                                   3.4391090010726835,
                                   1.1456880366957145,
                                   0.1202375539688531,
                                   0.0029424313350282835};
  constexpr double end_above[] = {0.052818754102773924, 0.71628145909921,    1.4494599887522273,
                                  0.46682687765878883,  0.03304427687045913, 0.00038696337820485555};
  constexpr double end_below[] = {
      1.0, 1.6749952256182572, 2.7267082180963396, 1.7474483648341503, 0.3195025537019952, 0.015002175896679544, 0.00011385195479453606};
  const V magnitude = abs(x);
  const auto tail = !(magnitude <= V(0.84375));
  const V u = mul_add(V(0) - x, x, V(0.7119140625));
  V result = x + x * ratio(u, middle_above, middle_below);
  if (any(tail)) {
    const V s = sqrt(V(0) - log(V(1) - magnitude));
    const auto end = s > V(3);
    V below = ratio(s, tail_above, tail_below);
    if (any(end)) below = select(end, ratio(s, end_above, end_below), below);
    const V y = select(magnitude == V(1), s, s - below);
    result = select(tail, copysign(y, x), result);
  }
  return result;
}
