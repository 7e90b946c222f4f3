// Normalisation along the last dimension, and of groups of channels. Included inside namespace mt by each device: no include guard.

struct LayerNorm {
  static constexpr Decl decl{
      .name = "layerNorm",
      .signature = "[res mean invstd] x:tensor weight:tensor? bias:tensor? eps:number=0.00001",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc =
          "(x - mean) invstd weight + bias for each row of x (…, n), with the row's mean and variance and invstd = 1 / sqrt(variance + "
          "eps); weight and bias (n) default to 1 and 0. Also returns the mean and invstd of each row, (rows). Source: Ba, Kiros & Hinton "
          "(2016), \"Layer Normalization\", arXiv:1607.06450. Errors: x without dimensions, weight or bias of another size.",
      .samples = "{randn(4, 5)}, {randn(2, 3, 17), randn(17), randn(17)}, {randn(3, 4), randn(4)}, {randn(40, 3), randn(3), randn(3), 0.1}",
      .precision = Precision::float32};
};

struct LayerNormGrad {
  static constexpr Decl decl{
      .name = "layerNorm_grad",
      .signature = "[res weightGrad biasGrad] g:tensor x:tensor weight:tensor? mean:tensor invstd:tensor",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "The gradients of layerNorm by x, weight and bias, from the gradient g by its first result, and the mean and invstd that it "
          "returned. It has no derivative: for higher derivatives the tape computes the gradients by other ops.",
      .samples =
          "{randn(4, 5), randn(4, 5), randn(5), randn(4), positive(4)}, {randn(2, 3, 17), randn(2, 3, 17), randn(17), randn(6), "
          "positive(6)}, "
          "{randn(70, 3), randn(70, 3), randn(3), randn(70), positive(70)}"};
};

struct GroupNorm {
  static constexpr Decl decl{
      .name = "groupNorm",
      .signature = "[res mean invstd] x:tensor groups:int weight:tensor? bias:tensor? eps:number=0.00001",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc =
          "(x - mean) invstd weight + bias for x (n, c, …), with mean and variance of each group of c / groups channels of each sample and "
          "invstd = 1 / sqrt(variance + eps); weight and bias (c) default to 1 and 0. Also returns the mean and invstd of each group, (n "
          "groups). Source: Wu & He (2018), \"Group Normalization\", ECCV. Errors: groups that do not divide c, weight or bias of another "
          "size.",
      .samples =
          "{randn(2, 4, 5), 2}, {randn(3, 6, 3, 3), 3, randn(6), randn(6)}, {randn(2, 4, 17), 4, randn(4)}, {randn(40, 6), 2, randn(6), "
          "randn(6), 0.1}, {randn(2, 3, 2), 1, randn(3), randn(3)}",
      .precision = Precision::float32};
};

struct GroupNormGrad {
  static constexpr Decl decl{
      .name = "groupNorm_grad",
      .signature = "[res weightGrad biasGrad] g:tensor x:tensor groups:int weight:tensor? mean:tensor invstd:tensor",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "The gradients of groupNorm by x, weight and bias, from the gradient g by its first result, and the mean and invstd that it "
          "returned. It has no derivative: for higher derivatives the tape computes the gradients by other ops.",
      .samples =
          "{randn(2, 4, 5), randn(2, 4, 5), 2, randn(4), randn(4), positive(4)}, {randn(3, 6, 3, 3), randn(3, 6, 3, 3), 3, randn(6), "
          "randn(9), positive(9)}, {randn(70, 6), randn(70, 6), 2, randn(6), randn(140), positive(140)}, {randn(2, 3, 17), randn(2, 3, "
          "17), "
          "1, randn(3), randn(2), positive(2)}"};
};

struct RmsNorm {
  static constexpr Decl decl{.name = "rmsNorm",
                             .signature = "[res invrms] x:tensor weight:tensor? eps:number=0.000001",
                             .method = Method::none,
                             .dtypes = float_dtypes,
                             .ulp = 64,
                             .doc =
                                 "x invrms weight for each row of x (…, n), invrms = 1 / sqrt(mean(x^2) + eps); weight (n) defaults to 1. "
                                 "Also returns each row's invrms, (rows). Source: Zhang & Sennrich (2019), \"Root Mean Square Layer "
                                 "Normalization\", NeurIPS. Errors: x without dimensions, weight of another size.",
                             .samples = "{randn(4, 5)}, {randn(2, 3, 17), randn(17)}, {randn(40, 3), randn(3), 0.1}",
                             .precision = Precision::float32};
};

struct RmsNormGrad {
  static constexpr Decl decl{
      .name = "rmsNorm_grad",
      .signature = "[res weightGrad] g:tensor x:tensor weight:tensor? invrms:tensor",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "The gradients of rmsNorm by x and weight, from the gradient g by its first result, and the invrms that it returned. It has no "
          "derivative: for higher derivatives the tape computes the gradients by other ops.",
      .samples = "{randn(4, 5), randn(4, 5), randn(5), positive(4)}, {randn(2, 3, 17), randn(2, 3, 17), randn(17), positive(6)}"};
};
