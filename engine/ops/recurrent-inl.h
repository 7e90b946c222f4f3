// The operations of a recurrent cell except its matrix products, in one pass: declarations, and the arithmetic of one element of the state.
// V is a vector or one element. Included inside a device's namespace, once for each CPU instruction set: no include guard.

template <class V> struct LstmGates { V i, f, g, out; };
template <class V> struct GruGates { V r, z, n; };

template <class V> MT_FN V squash(V x) { return V(1) / (V(1) + exp(V(0) - x)); }

// tanh by one exp of a number that is at most 0: within a few epsilons of 1. The function tanh is exact for small x, too, and takes five
// times as long.
template <class V> MT_FN V quick_tanh(V x) {
  const V e = exp(abs(x) * V(-2));
  return copysign((V(1) - e) / (V(1) + e), x);
}

struct LstmCell {
  static constexpr Decl decl{.name = "lstm_cell",
                             .signature = "[h c gates] x:tensor c0:tensor",
                             .method = Method::none,
                             .dtypes = float_dtypes,
                             .ulp = 64,
                             .doc =
                                 "One step of long short-term memory. x (n, 4 m): the sums at the inputs of the gates i, f, g, o; c0 (n, "
                                 "m): the cell. Then c = sigmoid(f) c0 + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c), both (n, m); gates "
                                 "(n, 4 m): sigmoid or tanh of x. Source: Hochreiter & Schmidhuber (1997), Neural Computation 9, and Gers, "
                                 "Schmidhuber & Cummins (2000), Neural Computation 12, for f. Errors: sizes that don't fit.",
                             .samples = "{randn(3, 8), randn(3, 2)}, {randn(2, 68), randn(2, 17)}, {randn(0, 8), randn(0, 2)}",
                             .precision = Precision::low};
  template <class V> MT_FN void operator()(const LstmGates<V>& x, V c0, LstmGates<V>& gates, V& c, V& h) const {
    gates = {squash(x.i), squash(x.f), quick_tanh(x.g), squash(x.out)};
    c = gates.f * c0 + gates.i * gates.g;
    h = gates.out * quick_tanh(c);
  }
};

struct LstmCellGrad {
  static constexpr Decl decl{
      .name = "lstm_cell_grad",
      .signature = "[gx gc0] gh:tensor? gc:tensor? gates:tensor c0:tensor c:tensor",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "The gradients of lstm_cell by x and c0, from those by h and c (zeros if left out) and from the gates, c0 and c of the forward "
          "pass. It has no derivative: for higher derivatives the tape computes the gradients by other ops.",
      .samples =
          "{randn(3, 2), randn(3, 2), unit(3, 8), randn(3, 2), randn(3, 2)}, "
          "{randn(2, 17), randn(2, 17), unit(2, 68), randn(2, 17), randn(2, 17)}"};
  template <class V> MT_FN void operator()(V gh, V gc, const LstmGates<V>& gates, V c0, V c, LstmGates<V>& gx, V& gc0) const {
    const auto [i, f, g, out] = gates;
    const V one(1), t = quick_tanh(c), all = gh * out * (one - t * t) + gc;
    gx = {all * g * i * (one - i), all * c0 * f * (one - f), all * i * (one - g * g), gh * t * out * (one - out)};
    gc0 = all * f;
  }
};

struct GruCell {
  static constexpr Decl decl{
      .name = "gru_cell",
      .signature = "[h gates] x:tensor y:tensor h0:tensor",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc =
          "One step of gated recurrent units. x, y (n, 3 m): the sums from the input and from the state at the gates r, z, n; h0 (n, m): "
          "the state. Then r = sigmoid(x + y), z likewise, n = tanh(x + r y), h = n + z (h0 - n), (n, m); gates (n, 3 m): r, z, n. Source: "
          "Cho et al. (2014), EMNLP, with r after the product as in Chung et al. (2014), arXiv:1412.3555. Errors: sizes that don't fit.",
      .samples = "{randn(3, 6), randn(3, 6), randn(3, 2)}, {randn(2, 51), randn(2, 51), randn(2, 17)}",
      .precision = Precision::low};
  template <class V> MT_FN void operator()(const GruGates<V>& x, const GruGates<V>& y, V h0, GruGates<V>& gates, V& h) const {
    const V r = squash(x.r + y.r), z = squash(x.z + y.z), n = quick_tanh(x.n + r * y.n);
    gates = {r, z, n};
    h = n + z * (h0 - n);
  }
};

struct GruCellGrad {
  static constexpr Decl decl{
      .name = "gru_cell_grad",
      .signature = "[gx gy gh0] g:tensor gates:tensor y:tensor h0:tensor",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "The gradients of gru_cell by x, y and h0, from that by h and from the gates, y and h0 of the forward pass. It has no "
          "derivative: for higher derivatives the tape computes the gradients by other ops.",
      .samples = "{randn(3, 2), unit(3, 6), randn(3, 6), randn(3, 2)}, {randn(2, 17), unit(2, 51), randn(2, 51), randn(2, 17)}"};
  // Reads only the part of y for gate n.
  template <class V> MT_FN void operator()(V g, const GruGates<V>& gates, V y, V h0, GruGates<V>& gx, GruGates<V>& gy, V& gh0) const {
    const auto [r, z, n] = gates;
    const V one(1), gn = g * (one - z) * (one - n * n), gr = gn * y * r * (one - r), gz = g * (h0 - n) * z * (one - z);
    gx = {gr, gz, gn};
    gy = {gr, gz, gn * r};
    gh0 = g * z;
  }
};
