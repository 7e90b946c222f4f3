// Batch normalisation. Included inside namespace mt by each device: no include guard.

struct BatchNorm {
  static constexpr Decl decl{
      .name = "batchNorm",
      .signature =
          "[res mean invstd] x:tensor weight:tensor? bias:tensor? runningMean:tensor? runningVar:tensor? training:boolean=false "
          "momentum:number=0.1 eps:number=0.00001",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc =
          "(x - mean) invstd weight + bias for each channel c of x (n, c, …); weight and bias (c) default to 1 and 0. With `training`, "
          "mean and variance are those of x over all but the channels, invstd = 1 / sqrt(variance + eps), and the running statistics (c), "
          "if passed, are updated: running = (1 - momentum) running + momentum new, with the unbiased variance. Otherwise the running "
          "statistics are used. Also returns the used mean and invstd (c). Errors: x with fewer than two values per channel in training.",
      .samples =
          "{randn(4, 3), randn(3), randn(3), true}, {randn(2, 3, 4, 5), randn(3), randn(3), true}, {randn(2, 3, 17), true, 0.1, 0.01}, "
          "{randn(4, 3), randn(3), randn(3), randn(3), positive(3), false}"};
};

struct BatchNormGrad {
  static constexpr Decl decl{
      .name = "batchNorm_grad",
      .signature = "[res weightGrad biasGrad] g:tensor x:tensor weight:tensor? mean:tensor invstd:tensor training:boolean=false",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "The gradients of batchNorm by x, weight and bias, from the gradient g by its first result, and the mean and invstd that it "
          "returned. With `training` these depend on x. It has no derivative: for higher derivatives the tape computes the gradients by "
          "other ops.",
      .samples =
          "{randn(4, 3), randn(4, 3), randn(3), randn(3), positive(3), true}, "
          "{randn(2, 3, 4, 5), randn(2, 3, 4, 5), randn(3), randn(3), positive(3), true}, "
          "{randn(2, 3, 9), randn(2, 3, 9), randn(3), randn(3), positive(3)}"};
};
