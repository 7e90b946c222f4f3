// Pooling of images and volumes. Included inside namespace mt by each device: no include guard. Output sizes are floor((size + 2 pad -
// dilation (kernel - 1) - 1) / stride) + 1; with `ceil` rounded up, without a last window that would start beyond the image and its first
// padding. float16 and bfloat16 are computed in float32.

struct MaxPool2d {
  static constexpr Decl decl{
      .name = "maxPool2d",
      .signature =
          "[values indices] x:tensor kernelH:int kernelW:int strideH:int? strideW:int? padH:int=0 padW:int=0 ceil:boolean=false "
          "dilationH:int=1 dilationW:int=1",
      .method = Method::none,
      .dtypes = float_dtypes,
      .extent = Extent::alike,
      .doc =
          "The largest element of each window of x (n, c, h, w) or (c, h, w), and its position: a LongTensor of positions in the h x w "
          "plane, counted from 1 in row-major order. Windows are kernelH x kernelW, strideH and strideW apart (by default the kernel "
          "sizes). Padding never counts; of equal elements the first one does; NaN is the largest. If x is channels last (channelsLast), "
          "so are all results of pooling.",
      .samples =
          "{randn(2, 3, 6, 8), 2, 2}, {randn(3, 7, 7), 3, 3, 2, 2, 1, 1}, {randn(1, 2, 5, 7), 2, 3, 2, 2, 0, 0, true}, {full(1, 1, 1, 4, "
          "4), 2, 2}, "
          "{randn(2, 1, 9, 8), 3, 2, 1, 1, 0, 0, false, 2, 3}, {randn(1, 1, 20, 40), 2, 2}, {randn(1, 1, 9, 40), 3, 3, 1, 1, 1, 1}"};
};

struct MaxPool2dGrad {
  static constexpr Decl decl{
      .name = "maxPool2d_grad",
      .signature = "[res] g:tensor indices:tensor height:int width:int",
      .method = Method::none,
      .dtypes = float_dtypes,
      .doc = "The gradient of maxPool2d by x, with size height x width, from the gradient g by its values, and its indices.",
      .samples = "{randn(2, 3, 4), positions(30, {2, 3, 4}), 5, 6}, {randn(2, 2, 2, 2), positions(3, {2, 2, 2, 2}), 3, 4}"};
};

struct AvgPool2d {
  static constexpr Decl decl{
      .name = "avgPool2d",
      .signature =
          "[res] x:tensor kernelH:int kernelW:int strideH:int? strideW:int? padH:int=0 padW:int=0 ceil:boolean=false countPad:boolean=true",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 8,
      .doc =
          "The mean of each window of x (n, c, h, w) or (c, h, w); windows as in maxPool2d. Padding counts as 0, and as elements unless "
          "`countPad` is false; the part of a window beyond the padding never counts.",
      .samples =
          "{randn(2, 3, 6, 8), 2, 2}, {randn(3, 7, 7), 3, 3, 2, 2, 1, 1}, {randn(3, 7, 7), 3, 3, 2, 2, 1, 1, false, false}, "
          "{randn(1, 2, 5, 7), 2, 3, 2, 2, 1, 1, true}, {randn(1, 1, 20, 40), 2, 2}, {randn(1, 1, 9, 40), 3, 3, 1, 1, 1, 1}"};
};

struct AvgPool2dGrad {
  static constexpr Decl decl{
      .name = "avgPool2d_grad",
      .signature =
          "[res] g:tensor height:int width:int kernelH:int kernelW:int strideH:int? strideW:int? padH:int=0 padW:int=0 ceil:boolean=false "
          "countPad:boolean=true",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 8,
      .doc = "The gradient of avgPool2d by x, with size height x width, from the gradient g by its result.",
      .samples =
          "{randn(2, 3, 3, 4), 6, 8, 2, 2}, {randn(3, 4, 4), 7, 7, 3, 3, 2, 2, 1, 1}, {randn(3, 4, 4), 7, 7, 3, 3, 2, 2, 1, 1, false, "
          "false}"};
};

struct MaxPool3d {
  static constexpr Decl decl{
      .name = "maxPool3d",
      .signature =
          "[values indices] x:tensor kernelT:int kernelH:int kernelW:int strideT:int? strideH:int? strideW:int? padT:int=0 padH:int=0 "
          "padW:int=0 ceil:boolean=false dilationT:int=1 dilationH:int=1 dilationW:int=1",
      .method = Method::none,
      .dtypes = float_dtypes,
      .extent = Extent::alike,
      .doc = "Like maxPool2d, for x (n, c, t, h, w) or (c, t, h, w); positions count through t x h x w.",
      .samples =
          "{randn(2, 2, 4, 5, 4), 2, 2, 2}, {randn(2, 5, 4, 7), 3, 2, 3, 2, 1, 2, 1, 1, 1}, {randn(1, 1, 5, 5, 4), 2, 3, 2, 2, 2, 2, 0, 0, "
          "0, true}, {randn(1, 5, 6, 7), 2, 2, 3, 1, 1, 1, 0, 0, 0, false, 3, 2, 2}, {randn(1, 3, 3, 24), 2, 2, 2}"};
};

struct MaxPool3dGrad {
  static constexpr Decl decl{
      .name = "maxPool3d_grad",
      .signature = "[res] g:tensor indices:tensor depth:int height:int width:int",
      .method = Method::none,
      .dtypes = float_dtypes,
      .doc = "The gradient of maxPool3d by x, with size depth x height x width, from the gradient g by its values, and its indices.",
      .samples =
          "{randn(2, 2, 3, 2), positions(36, {2, 2, 3, 2}), 3, 4, 3}, {randn(2, 1, 2, 1, 2), positions(8, {2, 1, 2, 1, 2}), 2, 2, 2}"};
};

struct AvgPool3d {
  static constexpr Decl decl{
      .name = "avgPool3d",
      .signature =
          "[res] x:tensor kernelT:int kernelH:int kernelW:int strideT:int? strideH:int? strideW:int? padT:int=0 padH:int=0 padW:int=0 "
          "ceil:boolean=false countPad:boolean=true",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 8,
      .doc = "Like avgPool2d, for x (n, c, t, h, w) or (c, t, h, w).",
      .samples =
          "{randn(2, 2, 4, 5, 4), 2, 2, 2}, {randn(2, 5, 4, 7), 3, 2, 3, 2, 1, 2, 1, 1, 1}, {randn(2, 5, 4, 7), 3, 2, 3, 2, 1, 2, 1, 1, 1, "
          "false, false}, {randn(1, 1, 5, 5, 4), 2, 3, 2, 2, 2, 2, 1, 0, 1, true}, {randn(1, 3, 3, 24), 2, 2, 2}"};
};

struct AvgPool3dGrad {
  static constexpr Decl decl{
      .name = "avgPool3d_grad",
      .signature =
          "[res] g:tensor size:sizes kernelT:int kernelH:int kernelW:int strideT:int? strideH:int? strideW:int? padT:int=0 padH:int=0 "
          "padW:int=0 ceil:boolean=false countPad:boolean=true",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 8,
      .doc = "The gradient of avgPool3d by x, with size {depth, height, width}, from the gradient g by its result.",
      .samples =
          "{randn(2, 2, 2, 2, 2), {4, 5, 4}, 2, 2, 2}, {randn(2, 3, 5, 4), {5, 4, 7}, 3, 2, 3, 2, 1, 2, 1, 1, 1}, "
          "{randn(2, 3, 5, 4), {5, 4, 7}, 3, 2, 3, 2, 1, 2, 1, 1, 1, false, false}"};
};
