// Losses of class indices: declarations.

struct NllLoss {
  static constexpr Decl decl{
      .name = "nll_loss",
      .signature = "[loss total] logp:tensor target:tensor|number weights:tensor? average:boolean=true ignore:int=-100",
      .forms = "logp target weights average ignore | logp target average ignore",
      .result = Rule::float_result,
      .method = Method::none,
      .ulp = 8,
      .doc =
          "Negative log-likelihood of classes. logp: log-probabilities, (classes), (batch, classes) or (batch, classes, ...); target: "
          "class numbers from 1, a number or a tensor of any dtype with one for each position; weights: one for each class, 1 if absent. "
          "loss: the sum of -weight * logp at the targets, over total if average; total: the sum of those weights; both of size 1. Targets "
          "equal to ignore do not count; if all are equal to it, loss is 0. A target outside 1..classes is an error.",
      .samples =
          "{randn(3, 4), classes(4, 3)}, {randn(4), 2}, {randn(3, 4), classes(4, 3), positive(4)}, {randn(3, 4), classes(4, 3), false}, "
          "{randn(2, 4, 3), classes(4, 2, 3)}",
      .precision = Precision::float32};
};

struct NllLossGrad {
  static constexpr Decl decl{
      .name = "nll_loss_grad",
      .signature = "[res] g:tensor sizes:sizes target:tensor|number total:tensor weights:tensor? average:boolean=true ignore:int=-100",
      .result = Rule::float_result,
      .method = Method::none,
      .doc =
          "The gradient of nll_loss by its log-probabilities of the given sizes, from the gradient g of the loss (one element): -weight * "
          "g at the targets, over total if average; 0 elsewhere.",
      .samples =
          "{randn(1), {3, 4}, classes(4, 3), constant(3, 1)}, {randn(1), {3, 4}, classes(4, 3), constant(3, 1), positive(4), false}"};
};
