// Connectionist temporal classification: declarations.

struct CtcLoss {
  static constexpr Decl decl{
      .name = "ctc_loss",
      .signature = "[res] logp:tensor targets:tensor steps:tensor lengths:tensor blank:index=first zeroInfinity:boolean=false",
      .result = Rule::float_result,
      .method = Method::none,
      .ulp = 64,
      .doc =
          "Connectionist temporal classification: the negative logarithm of the probability of each sample's labels, over all alignments "
          "with blanks in between, (batch). logp: log-probabilities (steps, batch, classes); targets: labels from 1, (batch, most labels); "
          "steps and lengths: the number of steps and of labels of each sample, (batch); blank: the class of the blank. The loss of labels "
          "that do not fit into the steps is infinite, or 0 with zeroInfinity. Source: Graves et al. (2006), \"Connectionist Temporal "
          "Classification\", ICML. Errors: sizes that don't fit; counts or classes out of range.",
      .samples =
          "{randn(4, 2, 4), classes(3, 2, 2), constant(4, 2), classes(2, 2), 4}, {randn(3, 1, 3), constant(2, 1, 1), constant(2, 1), "
          "constant(1, 1)}, {randn(2, 2, 4), classes(3, 2, 3), constant(2, 2), constant(3, 2), 4, true}, "
          "{randn(3, 1, 2), constant(1, 1, 0), constant(3, 1), constant(0, 1)}, "
          "{randn(4, 1, 3), constant(2, 1, 2), constant(4, 1), constant(2, 1)}",
      .precision = Precision::float32};
};

struct CtcLossGrad {
  static constexpr Decl decl{
      .name = "ctc_loss_grad",
      .signature = "[res] g:tensor logp:tensor targets:tensor steps:tensor lengths:tensor blank:index=first zeroInfinity:boolean=false",
      .result = Rule::float_result,
      .method = Method::none,
      .ulp = 64,
      .doc =
          "The gradient of ctc_loss by its log-probabilities, from the gradients g of the losses, (batch): -g times the probability that "
          "the "
          "alignment has the class at the step, given the labels. 0 behind a sample's steps; NaN where a loss is infinite, or 0 with "
          "zeroInfinity.",
      .samples =
          "{randn(2), randn(4, 2, 4), classes(3, 2, 2), constant(4, 2), classes(2, 2), 4}, {randn(1), randn(3, 1, 3), constant(2, 1, 1), "
          "constant(2, 1), constant(1, 1)}, {randn(2), randn(2, 2, 4), classes(3, 2, 3), constant(2, 2), constant(3, 2), 4, true}, "
          "{randn(1), randn(4, 1, 3), constant(2, 1, 2), constant(4, 1), constant(2, 1)}",
      .precision = Precision::float32};
};

using CtcOps = List<CtcLoss, CtcLossGrad>;
