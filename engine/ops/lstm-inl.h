// A layer of long short-term memory over a sequence, except the products with its input: declarations.

struct LstmLayer {
  static constexpr Decl decl{
      .name = "lstm_layer",
      .signature = "[y c gates] x:tensor h0:tensor c0:tensor weight:tensor reverse:boolean=false keeps:boolean=true",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "Long short-term memory over a sequence: lstm_cell in each step, of x plus the product of the state before and the transposed "
          "weight. x (steps, n, 4 m): the input projections; h0, c0 (n, m): the first states; weight (4 m, m). y, c (steps, n, m): the "
          "states after each step; gates (steps, n, 4 m). reverse: from the last step to the first. Without keeps, c and gates have those "
          "of the step that ran last alone, (1, n, m) and (1, n, 4 m). Gradients: nn.LSTM. Errors: sizes that don't fit, no steps.",
      .samples =
          "{randn(3, 2, 8), randn(2, 2), randn(2, 2), randn(8, 2)}, {unit(3, 2, 68), unit(2, 17), unit(2, 17), unit(68, 17), true}, "
          "{randn(3, 3, 4), randn(3, 1), randn(3, 1), randn(4, 1), false, false}, "
          "{randn(2, 2, 8), randn(2, 2), randn(2, 2), randn(8, 2), true, false}, {randn(2, 0, 8), randn(0, 2), randn(0, 2), randn(8, 2)}",
      .precision = Precision::low};
};

struct LstmLayerGrad {
  static constexpr Decl decl{
      .name = "lstm_layer_grad",
      .signature = "[gx gh0 gc0] gy:tensor? gh:tensor? gc:tensor? gates:tensor c0:tensor c:tensor weight:tensor reverse:boolean=false",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .ulp = 1024,
      .doc =
          "The gradients of lstm_layer by x, h0 and c0, from those by y and by the last h and c (zeros if left out) and from the gates, c0 "
          "and c of the forward pass. It has no derivative: for higher derivatives the tape computes the gradients by other ops.",
      .samples =
          "{randn(3, 2, 2), randn(2, 2), randn(2, 2), unit(3, 2, 8), randn(2, 2), randn(3, 2, 2), randn(8, 2)}, "
          "{unit(3, 2, 17), unit(2, 17), unit(2, 17), unit(3, 2, 68), unit(2, 17), unit(3, 2, 17), unit(68, 17), true}"};
};

using LstmOps = List<LstmLayer, LstmLayerGrad>;
