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
          "(x - mean) invstd weight + bias for each channel c of x (n, c, …); weight and bias (c) count as 1 and 0 when left out. With "
          "`training`, mean and "
          "variance are those of x over all but the channels, invstd = 1 / sqrt(variance + eps), and the running statistics (c), where "
          "given, are "
          "moved: running = (1 - momentum) running + momentum new, the variance being the unbiased one. Else the running statistics are "
          "used. "
          "Also returns the mean and invstd (c) that were used. Errors: x with less than two values a channel in training.",
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
          "The gradients of batchNorm's x, weight and bias from the gradient g of its first result, and the mean and invstd that it "
          "returned. With "
          "`training` these depend on x. Without a derivative: where one is wanted, the tape takes the gradients apart into other ops.",
      .samples =
          "{randn(4, 3), randn(4, 3), randn(3), randn(3), positive(3), true}, "
          "{randn(2, 3, 4, 5), randn(2, 3, 4, 5), randn(3), randn(3), positive(3), true}, "
          "{randn(2, 3, 9), randn(2, 3, 9), randn(3), randn(3), positive(3)}"};
};
