// Values of distributions from the exact numbers of engine/ops/drawn.h: the same code for the CPU's vectors and for threads of other
// devices. V is a vector or one element of float or double; the including file defines MT_FN and the functions of V.

// Two normal values. Source: Box & Muller (1958), "A note on the generation of random normal deviates", Ann. Math. Stat. 29.
template <class V> struct NormalPair { V first, second; };
template <class V> MT_FN NormalPair<V> normal_pair(V positive, V centred) {
  const V rho = sqrt(V(-2.0) * log(positive)), angle = V(6.283185307179586) * centred;
  return {rho * cos(angle), rho * sin(angle)};
}
template <class V> MT_FN V scaled(V value, double offset, double width) { return value * V(width) + V(offset); }
template <class V> MT_FN V exponential_value(V positive, double lambda) { return (V(0.0) - log(positive)) / V(lambda); }
template <class V> MT_FN V cauchy_value(V centred, double median, double sigma) {
  return scaled(tan(V(3.141592653589793) * centred), median, sigma);
}
// multinomial without replacement draws the least of these values first, distributed as successive weighted draws; the weight is above 0.
// Source: Efraimidis & Spirakis (2006), "Weighted random sampling with a reservoir", Inf. Process. Lett. 97, as logarithms.
template <class V> MT_FN V drawn_order(V positive, V weight) { return log(V(0.0) - log(positive)) - log(weight); }
