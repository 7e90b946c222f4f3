// Softmax and related ops along a dimension. Included once for each CPU instruction set: no include
// guard.

struct Softmax {
  static constexpr PlanFn plan = &plan_softmax;
  static constexpr Decl decl{
      .name = "softmax",
      .signature = "[res] x:tensor dim:dim=last",
      .result = Rule::float_result,
      .method = Method::returns,
      .ulp = 16,
      .doc =
          "exp(x) / sum(exp(x)) along dim, without overflow: the largest element of each slice is subtracted first. Sizes of x. For a "
          "slice with NaN or inf, or only with -inf, the results are NaN. Source: Blanchard, Higham & Higham (2021), IMA J. Numer. Anal. "
          "41(4).",
      .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(2, 3, 4), 2}, {full(1e4)}, {full(-1e4)}, {randn(0)}, {randn(0, 3), 1}",
      .precision = Precision::float32};
};

struct LogSoftmax {
  static constexpr PlanFn plan = &plan_softmax;
  static constexpr Decl decl{
      .name = "logsoftmax",
      .signature = "[res] x:tensor dim:dim=last",
      .result = Rule::float_result,
      .method = Method::returns,
      .ulp = 16,
      .doc =
          "x - log(sum(exp(x))) along dim, without overflow: the largest element of each slice is subtracted first. Sizes of x. For a "
          "slice with NaN or inf, or only with -inf, the results are NaN. Source: Blanchard, Higham & Higham (2021), IMA J. Numer. Anal. "
          "41(4).",
      .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(2, 3, 4), 2}, {full(1e4)}, {full(-1e4)}, {randn(0)}, {randn(0, 3), 1}",
      .precision = Precision::float32};
};

struct LogSumExp {
  static constexpr PlanFn plan = &plan_logsumexp;
  static constexpr Decl decl{
      .name = "logsumexp",
      .signature = "[res] x:tensor dim:dim=last",
      .result = Rule::float_result,
      .method = Method::returns,
      .ulp = 16,
      .doc =
          "log(sum(exp(x))) along dim, which stays with size 1, without overflow. The result is inf for a slice with inf, and -inf for one "
          "of only -inf or without elements. Source: Blanchard, Higham & Higham (2021), IMA J. Numer. Anal. 41(4).",
      .samples =
          "{randn(3, 4)}, {randn(3, 4), 1}, {randn(2, 3, 4), 2}, {full(1e4)}, {full(-inf)}, {full(inf)}, {full(nan)}, {randn(0, 3), 1}, "
          "{randn(2, 0, 3), 2}",
      .precision = Precision::float32};
};

struct SoftmaxGrad {
  static constexpr PlanFn plan = &plan_softmax_grad;
  static constexpr Decl decl{
      .name = "softmax_grad",
      .signature = "[res] g:tensor y:tensor dim:dim=last",
      .result = Rule::float_result,
      .method = Method::returns,
      .ulp = 16,
      .doc = "y * (g - sum(g * y)) along dim: the gradient of softmax from its output y and the gradient g by that output, of equal sizes.",
      .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 4), randn(3, 4), 1}, {randn(2, 3, 4), randn(2, 3, 4), 2}, {randn(0), randn(0)}"};
};

struct LogSoftmaxGrad {
  static constexpr PlanFn plan = &plan_softmax_grad;
  static constexpr Decl decl{
      .name = "logsoftmax_grad",
      .signature = "[res] g:tensor y:tensor dim:dim=last",
      .result = Rule::float_result,
      .method = Method::returns,
      .ulp = 16,
      .doc =
          "g - exp(y) * sum(g) along dim: the gradient of logsoftmax from its output y and the gradient g by that output, of equal sizes.",
      .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 4), randn(3, 4), 1}, {randn(2, 3, 4), randn(2, 3, 4), 2}, {randn(0), randn(0)}"};
};
