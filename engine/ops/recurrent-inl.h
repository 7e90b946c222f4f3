// What happens in a recurrent cell besides its matrix products, as one pass. Included inside namespace mt by each device: no
// include guard.

struct LstmCell {
  static constexpr Decl decl{
      .name = "lstm_cell",
      .signature = "[h c gates] x:tensor c0:tensor",
      .method = Method::none,
      .integers = false,
      .ulp = 64,
      .doc =
          "One step of long short-term memory. x (n, 4 m): what comes to the gates i, f, g, o; c0 (n, m): the cell. Then c = sigmoid(f) c0 "
          "+ sigmoid(i) tanh(g), h = sigmoid(o) tanh(c), both (n, m); gates (n, 4 m): sigmoid or tanh of x. Source: Hochreiter & "
          "Schmidhuber (1997), Neural Computation 9, and Gers, Schmidhuber & Cummins (2000), Neural Computation 12, for f. Errors: sizes "
          "that don't fit.",
      .samples = "{randn(3, 8), randn(3, 2)}, {randn(2, 68), randn(2, 17)}, {randn(0, 8), randn(0, 2)}"};
};

struct LstmCellGrad {
  static constexpr Decl decl{
      .name = "lstm_cell_grad",
      .signature = "[gx gc0] gh:tensor? gc:tensor? gates:tensor c0:tensor c:tensor",
      .method = Method::none,
      .integers = false,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "The gradients of lstm_cell's x and c0 from those of h and c (zeros where left out), and what it had: gates, c0 and c. Without a "
          "derivative: where one is wanted, the tape takes the gradients apart into other ops.",
      .samples =
          "{randn(3, 2), randn(3, 2), unit(3, 8), randn(3, 2), randn(3, 2)}, "
          "{randn(2, 17), randn(2, 17), unit(2, 68), randn(2, 17), randn(2, 17)}"};
};

struct GruCell {
  static constexpr Decl decl{
      .name = "gru_cell",
      .signature = "[h gates] x:tensor y:tensor h0:tensor",
      .method = Method::none,
      .integers = false,
      .ulp = 64,
      .doc =
          "One step of gated recurrent units. x, y (n, 3 m): what comes to r, z, n from input and state; h0 (n, m): the state. Then r = "
          "sigmoid(x + y), z likewise, n = tanh(x + r y), h = n + z (h0 - n), (n, m); gates (n, 3 m): r, z, n. Source: Cho et al. (2014), "
          "EMNLP, with r after the product as in Chung et al. (2014), arXiv:1412.3555. Errors: sizes that don't fit.",
      .samples = "{randn(3, 6), randn(3, 6), randn(3, 2)}, {randn(2, 51), randn(2, 51), randn(2, 17)}"};
};

struct GruCellGrad {
  static constexpr Decl decl{
      .name = "gru_cell_grad",
      .signature = "[gx gy gh0] g:tensor gates:tensor y:tensor h0:tensor",
      .method = Method::none,
      .integers = false,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "The gradients of gru_cell's x, y and h0 from that of h, and what it had. Without a derivative: where one is wanted, the tape "
          "takes the gradients apart into other ops.",
      .samples = "{randn(3, 2), unit(3, 6), randn(3, 6), randn(3, 2)}, {randn(2, 17), unit(2, 51), randn(2, 51), randn(2, 17)}"};
};
