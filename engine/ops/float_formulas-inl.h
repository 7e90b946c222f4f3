// exp, tanh, erf, sin and cos of floats as formulas. Errors are below 1, 1.4, 1.2, 1.8 and 1.9 units in the last place. Polynomials are
// minimax ones, fitted by bench/minimax.py. V is a vector of floats, or a value whose operations are recorded. Included inside the
// namespace of V, no include guard. The including file defines the functions of V:
//   polynomial, mul_add, neg_mul_add, any
//   least, greatest      the second argument if one is NaN
//   nearest              rounded to a whole number, halves to an even one
//   scaled(x, n)         x 2^n for a whole number n
//   times_sign_of(x, y)  x, negated if y has its sign bit set
//   odd_sign(n)          a number with its sign bit set if the whole number n is odd

// exp(x) = 2^n exp(r), n = round(x / log(2)), by Cody and Waite: log(2) in two parts, so that n times the first one is exact.
template <class V> MT_FN V exp_formula(V x) {
  constexpr float rest[] = {0.49999994F, 0.16666521F, 0.041668389F, 0.0083687454F, 0.0013814539F};  // (exp(r) - 1 - r) / r^2
  // Outside of this range exp(x) is infinite or 0. A NaN stays.
  const V in_range = least(V(89), greatest(V(-105), x));
  const V n = nearest(in_range * V(1.44269504F));
  const V r = neg_mul_add(n, V(-2.12194440e-4F), neg_mul_add(n, V(0.693359375F), in_range));
  return scaled(V(1) + mul_add(r * r, polynomial(r, rest), r), n);
}

// 1 - 2 / (exp(2 x) + 1); near 0 a polynomial.
template <class V> MT_FN V tanh_formula(V x) {
  constexpr float rest[] = {-0.33333281F, 0.13331442F, -0.053739715F, 0.020639086F, -0.0057049864F};  // (tanh(a) / a - 1) / a^2
  const V a = abs(x), square = a * a;
  const V near = mul_add(a * square, polynomial(square, rest), a), far = V(1) - V(2) / (exp(a + a) + V(1));
  return copysign(select(a < V(0.625), near, far), x);
}

// 1 - exp(log(erfc(x))), with a polynomial for the logarithm; near 0 another polynomial. From 4 on it is 1.
template <class V> MT_FN V erf_formula(V x) {
  constexpr float rest[] = {0.12837917F,   -0.37612632F,    0.1128369F,   -0.026859071F,
                            0.0052002249F, -0.00081335765F, 8.3316554e-5F};  // erf(a) / a - 1
  constexpr float logarithm[] = {-0.00020770849F, -1.1276261F, -0.63726562F, -0.10385858F, 0.022191783F, -0.0030344173F, 0.00019504146F};
  const V a = least(V(4), abs(x)), square = a * a;
  const V near = mul_add(a, polynomial(square, rest), a), far = V(1) - exp(polynomial(a, logarithm));
  return copysign(select(a < V(0.927734375), near, far), x);
}

// sin(r) for r within -pi/2..pi/2.
template <class V> MT_FN V sin_of_half_turn(V r) {
  constexpr float rest[] = {-0.1666666F, 0.0083330655F, -0.0001980954F, 2.6056312e-06F};  // (sin(r) / r - 1) / r^2
  const V square = r * r;
  return mul_add(r * square, polynomial(square, rest), r);
}

// sin(x) = (-1)^n sin(r), r = x - n pi, by Cody and Waite with pi in three parts: a fused operation subtracts n times the first one
// exactly, as both are multiples of 2^-22. Beyond 1e4, where n might be off by more than rounding, and without fused operations it is
// `other(x)`; elements below 1e4 keep their results whatever the others of their vector are.
template <class V, class F> MT_FN V sin_formula(V x, F other) {
  const V a = abs(x);
  const auto is_far = a >= V(1e4);
  const bool some_far = any(is_far);
  const V n = nearest(a * V(0.31830987F));
  const V r = neg_mul_add(n, V(-3.4302490e-15F), neg_mul_add(n, V(-8.7422777e-8F), neg_mul_add(n, V(3.14159274F), a)));
  const V near = times_sign_of(times_sign_of(sin_of_half_turn(r), odd_sign(n)), x);
  return some_far ? select(is_far, other(x), near) : near;
}

// cos(x) = (-1)^(n + 1) sin(r), r = x - (n + 1/2) pi, likewise.
template <class V, class F> MT_FN V cos_formula(V x, F other) {
  const V a = abs(x);
  const auto is_far = a >= V(1e4);
  const bool some_far = any(is_far);
  const V n = nearest(mul_add(a, V(0.31830987F), V(-0.5)));
  const V halves = mul_add(n, V(2), V(1));
  const V r = neg_mul_add(halves, V(-1.7151245e-15F), neg_mul_add(halves, V(-4.3711388e-8F), neg_mul_add(halves, V(1.57079637F), a)));
  const V near = times_sign_of(sin_of_half_turn(r), odd_sign(n + V(1)));
  return some_far ? select(is_far, other(x), near) : near;
}
