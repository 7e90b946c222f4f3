// 2-D convolutions. Included inside namespace mt by the registry and by each device: no include guard.
// float16 and bfloat16 are computed in float32 and rounded once. With oneDNN, the gradients of the weight of float32 tensors are added up
// by threads in an order that depends on how many there are; everything else has the same bits for any number.

struct Conv2d {
  static constexpr Decl decl{
      .name = "conv2d",
      .signature =
          "[res] x:tensor weight:tensor bias:tensor? strideH:int=1 strideW:int=1 padH:int=0 padW:int=0 dilationH:int=1 "
          "dilationW:int=1 groups:int=1",
      .method = Method::none,
      .integers = false,
      .ulp = 64,
      .doc =
          "Cross-correlation of images: x (n, in, h, w) or (in, h, w), weight (out, in / groups, kernel h, kernel w), bias (out) -> (n, "
          "out, h', w'), "
          "h' = floor((h + 2 padH - dilationH (kernel h - 1) - 1) / strideH) + 1, likewise w'. Padding counts as 0. Channels are split "
          "into "
          "`groups` that don't see each other.",
      .samples =
          "{randn(2, 3, 5, 6), randn(4, 3, 3, 2), randn(4)}, {randn(2, 3, 5, 6), randn(4, 3, 3, 3)}, {randn(3, 5, 6), randn(4, 3, 3, 3), "
          "randn(4)}, "
          "{randn(2, 2, 7, 6), randn(3, 2, 3, 2), randn(3), 2, 1, 1, 1}, {randn(1, 2, 7, 7), randn(2, 2, 3, 3), randn(2), 2, 2, 2, 1, 2, "
          "2}, "
          "{randn(2, 4, 5, 5), randn(6, 2, 3, 3), randn(6), 1, 1, 1, 1, 1, 1, 2}, {randn(2, 5, 4, 4), randn(3, 5, 1, 1), randn(3)}"};
  static void run(Call& call);
};

struct Conv2dInputGrad {
  static constexpr Decl decl{
      .name = "conv2d_input_grad",
      .signature =
          "[res] g:tensor weight:tensor height:int width:int strideH:int=1 strideW:int=1 padH:int=0 padW:int=0 dilationH:int=1 "
          "dilationW:int=1 groups:int=1",
      .method = Method::none,
      .integers = false,
      .ulp = 64,
      .doc = "The gradient of conv2d's x, of size height x width, from the gradient g of its result. It is the transposed convolution.",
      .samples =
          "{randn(2, 4, 3, 5), randn(4, 3, 3, 2), 5, 6}, {randn(4, 3, 4), randn(4, 3, 3, 3), 5, 6}, "
          "{randn(2, 3, 4, 7), randn(3, 2, 3, 2), 7, 6, 2, 1, 1, 1}, {randn(2, 6, 5, 5), randn(6, 2, 3, 3), 5, 5, 1, 1, 1, 1, 1, 1, 2}"};
  static void run(Call& call);
};

struct Conv2dWeightGrad {
  static constexpr Decl decl{
      .name = "conv2d_weight_grad",
      .signature =
          "[weightGrad biasGrad] g:tensor x:tensor kernelH:int kernelW:int strideH:int=1 strideW:int=1 padH:int=0 padW:int=0 "
          "dilationH:int=1 dilationW:int=1 groups:int=1",
      .method = Method::none,
      .integers = false,
      .ulp = 64,
      .doc = "The gradients of conv2d's weight, with a kernel of kernelH x kernelW, and of its bias, from the gradient g of its result.",
      .samples =
          "{randn(2, 4, 3, 5), randn(2, 3, 5, 6), 3, 2}, {randn(4, 3, 4), randn(3, 5, 6), 3, 3}, "
          "{randn(2, 3, 4, 7), randn(2, 2, 7, 6), 3, 2, 2, 1, 1, 1}, {randn(2, 6, 5, 5), randn(2, 4, 5, 5), 3, 3, 1, 1, 1, 1, 1, 1, 2}"};
  static void run(Call& call);
};

using ConvOps = List<Conv2d, Conv2dInputGrad, Conv2dWeightGrad>;
