// Convolutions in 1, 2 and 3 dimensions, their gradients, and transposed convolutions. Included inside namespace mt by each
// device: no include guard. float16 and bfloat16 are computed in float32 and rounded once. With oneDNN, the order in which threads
// add up the weight gradients of float32 tensors depends on the number of threads; all other results are equal bit by bit for any
// number.

#define MT_CONV(Type, op_name, arguments, text, examples, ...)                  \
  struct Type {                                                                 \
    static constexpr Decl decl{.name = op_name,                                 \
                               .signature = arguments,                          \
                               .method = Method::none,                          \
                               .dtypes = float_dtypes,                          \
                               .ulp = 64,                                       \
                               .doc = text,                                     \
                               .samples = examples __VA_OPT__(, ) __VA_ARGS__}; \
  };
#define MT_WINDOW1 "stride:int=1 pad:int=0 dilation:int=1 groups:int=1"
#define MT_WINDOW2 "strideH:int=1 strideW:int=1 padH:int=0 padW:int=0 dilationH:int=1 dilationW:int=1 groups:int=1"
#define MT_WINDOW3                                                                                                                     \
  "strideT:int=1 strideH:int=1 strideW:int=1 padT:int=0 padH:int=0 padW:int=0 dilationT:int=1 dilationH:int=1 dilationW:int=1 groups:" \
  "int=1"

MT_CONV(Conv1d, "conv1d", "[res] x:tensor weight:tensor bias:tensor? " MT_WINDOW1,
        "Cross-correlation along one dimension: x (n, in, w) or (in, w), weight (out, in / groups, kernel), bias (out) -> (n, out, w'), as "
        "conv2d does.",
        "{randn(2, 3, 8), randn(4, 3, 3), randn(4)}, {randn(3, 8), randn(4, 3, 2)}, {randn(2, 4, 9), randn(6, 2, 3), randn(6), 2, 1, 2, 2}",
        .precision = Precision::low)

MT_CONV(Conv2d, "conv2d", "[res] x:tensor weight:tensor bias:tensor? " MT_WINDOW2,
        "Cross-correlation of images: x (n, in, h, w) or (in, h, w), weight (out, in / groups, kernel h, kernel w), bias (out) -> (n, out, "
        "h', w'), h' = floor((h + 2 padH - dilationH (kernel h - 1) - 1) / strideH) + 1, likewise w'. Padding counts as 0. Channels are "
        "split into `groups` that don't see each other.",
        "{randn(2, 3, 5, 6), randn(4, 3, 3, 2), randn(4)}, {randn(2, 3, 5, 6), randn(4, 3, 3, 3)}, {randn(3, 5, 6), randn(4, 3, 3, 3), "
        "randn(4)}, {randn(2, 2, 7, 6), randn(3, 2, 3, 2), randn(3), 2, 1, 1, 1}, {randn(1, 2, 7, 7), randn(2, 2, 3, 3), randn(2), 2, 2, "
        "2, 1, 2, 2}, {randn(2, 4, 5, 5), randn(6, 2, 3, 3), randn(6), 1, 1, 1, 1, 1, 1, 2}, {randn(2, 5, 4, 4), randn(3, 5, 1, 1), "
        "randn(3)}",
        .precision = Precision::low)

MT_CONV(Conv3d, "conv3d", "[res] x:tensor weight:tensor bias:tensor? " MT_WINDOW3,
        "Cross-correlation of volumes: x (n, in, t, h, w) or (in, t, h, w), weight (out, in / groups, kernel t, kernel h, kernel w), bias "
        "(out) -> (n, out, t', h', w'), as conv2d does.",
        "{randn(2, 2, 3, 4, 3), randn(3, 2, 2, 2, 2), randn(3)}, {randn(2, 4, 3, 3), randn(2, 2, 1, 1, 1), randn(2)}, "
        "{randn(1, 4, 4, 5, 4), randn(4, 2, 2, 3, 1), randn(4), 2, 1, 2, 1, 0, 1, 2, 1, 1, 2}",
        .precision = Precision::low)

MT_CONV(Conv1dInputGrad, "conv1d_input_grad", "[res] g:tensor weight:tensor width:int " MT_WINDOW1,
        "The gradient of conv1d's x, of size width, from the gradient g of its result.",
        "{randn(2, 4, 6), randn(4, 3, 3), 8}, {randn(4, 7), randn(4, 3, 2), 8}, {randn(2, 6, 4), randn(6, 2, 3), 9, 2, 1, 2, 2}")

MT_CONV(Conv2dInputGrad, "conv2d_input_grad", "[res] g:tensor weight:tensor height:int width:int " MT_WINDOW2,
        "The gradient of conv2d's x, of size height x width, from the gradient g of its result. It is the transposed convolution.",
        "{randn(2, 4, 3, 5), randn(4, 3, 3, 2), 5, 6}, {randn(4, 3, 4), randn(4, 3, 3, 3), 5, 6}, "
        "{randn(2, 3, 4, 7), randn(3, 2, 3, 2), 7, 6, 2, 1, 1, 1}, {randn(2, 6, 5, 5), randn(6, 2, 3, 3), 5, 5, 1, 1, 1, 1, 1, 1, 2}")

MT_CONV(Conv3dInputGrad, "conv3d_input_grad", "[res] g:tensor weight:tensor size:sizes " MT_WINDOW3,
        "The gradient of conv3d's x, of the size {depth, height, width}, from the gradient g of its result.",
        "{randn(2, 3, 2, 3, 2), randn(3, 2, 2, 2, 2), {3, 4, 3}}, {randn(2, 4, 3, 3), randn(2, 2, 1, 1, 1), {4, 3, 3}}, "
        "{randn(1, 4, 2, 3, 3), randn(4, 2, 2, 3, 1), {4, 5, 4}, 2, 1, 2, 1, 0, 1, 2, 1, 1, 2}")

MT_CONV(Conv1dWeightGrad, "conv1d_weight_grad", "[weightGrad biasGrad] g:tensor x:tensor kernel:int " MT_WINDOW1,
        "The gradients of conv1d's weight, with that kernel, and of its bias, from the gradient g of its result.",
        "{randn(2, 4, 6), randn(2, 3, 8), 3}, {randn(4, 7), randn(3, 8), 2}, {randn(2, 6, 4), randn(2, 4, 9), 3, 2, 1, 2, 2}, "
        "{randn(3, 2), randn(0, 3), 2}")

MT_CONV(Conv2dWeightGrad, "conv2d_weight_grad", "[weightGrad biasGrad] g:tensor x:tensor kernelH:int kernelW:int " MT_WINDOW2,
        "The gradients of conv2d's weight, with a kernel of kernelH x kernelW, and of its bias, from the gradient g of its result.",
        "{randn(2, 4, 3, 5), randn(2, 3, 5, 6), 3, 2}, {randn(4, 3, 4), randn(3, 5, 6), 3, 3}, "
        "{randn(2, 3, 4, 7), randn(2, 2, 7, 6), 3, 2, 2, 1, 1, 1}, {randn(2, 6, 5, 5), randn(2, 4, 5, 5), 3, 3, 1, 1, 1, 1, 1, 1, 2}, "
        "{randn(2, 3, 2, 2), randn(2, 0, 3, 3), 2, 2}")

MT_CONV(Conv3dWeightGrad, "conv3d_weight_grad", "[weightGrad biasGrad] g:tensor x:tensor kernel:sizes " MT_WINDOW3,
        "The gradients of conv3d's weight, with a kernel of the sizes {depth, height, width}, and of its bias, from the gradient g of its "
        "result.",
        "{randn(2, 3, 2, 3, 2), randn(2, 2, 3, 4, 3), {2, 2, 2}}, {randn(2, 4, 3, 3), randn(2, 4, 3, 3), {1, 1, 1}}, "
        "{randn(1, 4, 2, 3, 3), randn(1, 4, 4, 5, 4), {2, 3, 1}, 2, 1, 2, 1, 0, 1, 2, 1, 1, 2}")

MT_CONV(ConvTranspose1d, "convTranspose1d",
        "[res] x:tensor weight:tensor bias:tensor? stride:int=1 pad:int=0 adj:int=0 dilation:int=1 groups:int=1",
        "Transposed convolution along one dimension: x (n, in, w) or (in, w), weight (in, out / groups, kernel), bias (out) -> (n, out, "
        "w'), as convTranspose2d does.",
        "{randn(2, 3, 5), randn(3, 4, 3), randn(4)}, {randn(3, 5), randn(3, 2, 2)}, {randn(2, 4, 4), randn(4, 2, 3), randn(4), 3, 1, 2, 2, "
        "2}",
        .precision = Precision::low)

MT_CONV(ConvTranspose2d, "convTranspose2d",
        "[res] x:tensor weight:tensor bias:tensor? strideH:int=1 strideW:int=1 padH:int=0 padW:int=0 adjH:int=0 adjW:int=0 dilationH:int=1 "
        "dilationW:int=1 groups:int=1",
        "Transposed convolution of images: x (n, in, h, w) or (in, h, w), weight (in, out / groups, kernel h, kernel w), bias (out) -> (n, "
        "out, h', w'), h' = (h - 1) strideH - 2 padH + dilationH (kernel h - 1) + 1 + adjH, adjH less than strideH, likewise "
        "w'. It is the gradient by x of the convolution with the same weight and window, plus bias.",
        "{randn(2, 3, 4, 3), randn(3, 4, 3, 2), randn(4)}, {randn(3, 4, 3), randn(3, 2, 2, 2)}, {randn(2, 2, 3, 3), randn(2, 3, 3, 3), "
        "randn(3), 2, 2, 1, 1, 1, 0}, {randn(2, 4, 3, 2), randn(4, 2, 3, 2), randn(4), 2, 1, 1, 0, 1, 0, 1, 2, 2}",
        .precision = Precision::low)

MT_CONV(ConvTranspose3d, "convTranspose3d",
        "[res] x:tensor weight:tensor bias:tensor? strideT:int=1 strideH:int=1 strideW:int=1 padT:int=0 padH:int=0 padW:int=0 adj:sizes? "
        "dilationT:int=1 dilationH:int=1 dilationW:int=1 groups:int=1",
        "Transposed convolution of volumes: x (n, in, t, h, w) or (in, t, h, w), weight (in, out / groups, kernel t, kernel h, kernel w), "
        "bias (out) -> (n, out, t', h', w'), as convTranspose2d does; adj is a table {depth, height, width}.",
        "{randn(2, 2, 2, 3, 2), randn(2, 3, 2, 2, 2), randn(3)}, {randn(2, 2, 2, 3), randn(2, 2, 1, 1, 1), randn(2)}, "
        "{randn(1, 4, 2, 2, 2), randn(4, 2, 2, 3, 1), randn(4), 2, 1, 2, 0, 1, 0, {1, 0, 1}, 1, 2, 1, 2}",
        .precision = Precision::low)

#undef MT_CONV
#undef MT_WINDOW1
#undef MT_WINDOW2
#undef MT_WINDOW3
