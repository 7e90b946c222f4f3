// Products and convolutions of 8-bit integers: declarations. Included inside namespace mt by each device: no include guard. All sums are
// int32, and each float operation is rounded once, so that results have the same bits under every instruction set.

struct Int8Pack {
  static constexpr Decl decl{
      .name = "int8Pack",
      .signature = "[res] weight:tensor groups:int=1",
      .result = Rule::custom,
      .method = Method::returns,
      .differentiable = false,
      .doc =
          "The weight of int8Linear (out, in), or of int8Conv2d (out, in / groups, kernel h, kernel w), in the order in which their "
          "kernels read it: a CharTensor (groups * panels, bytes). A panel has 16 rows of the weight. It consists of blocks of 64 bytes "
          "with 4 elements of each row (the channels of a filter's tap are adjacent), filled up with zeros, and of the 16 sums of rows, "
          "int32 with the lowest byte first. Elements of other dtypes than int8 are converted. Errors: more than 65536 elements in a row.",
      .samples = "{randn(3, 5)}, {randn(18, 8)}, {randn(4, 2, 3, 2), 2}, {randn(3, 5, 1, 1)}, {randn(0, 3)}, {randn(2, 0)}"};
};

struct Int8Linear {
  static constexpr Decl decl{
      .name = "int8Linear",
      .signature =
          "[res] x:tensor packed:tensor columns:int zero:int=0 multiplier:tensor? bias:tensor? weightZero:tensor? outZero:int=0 "
          "dtype:dtype?",
      .result = Rule::custom,
      .method = Method::none,
      .differentiable = false,
      .ulp = 64,
      .doc =
          "Products of rows of integers x (…, in) and a weight of `columns` rows from int8Pack -> (…, columns): sums of (x - zero) "
          "(weight - weightZero[column]) in int32. x is uint8 or int8; other integers are converted to int8. Without `multiplier` the "
          "sums are the result, an IntTensor. With it (columns) the result is sum * multiplier + bias: a FloatTensor, or by `dtype` a "
          "ByteTensor or CharTensor of this number rounded (half to even), plus outZero, within the bounds of the dtype. Floats x are "
          "quantised first: each row by its range, with 0, to uint8, and its scale multiplies `multiplier`; NaN counts as the least. "
          "Errors: sizes that don't fit.",
      .samples =
          "{positive(3, 5), nonzero(4, 5):to('int8'):int8Pack(), 4, 0, positive(4)}, "
          "{positive(2, 2, 8), nonzero(17, 8):to('int8'):int8Pack(), 17, 3, positive(17), randn(17)}, "
          "{randn(4), nonzero(2, 4):to('int8'):int8Pack(), 2, 1, positive(2), randn(2), randn(2)}, "
          "{positive(3, 4), nonzero(3, 4):to('int8'):int8Pack(), 3, 1, positive(3), randn(3), nil, 5, 'uint8'}, "
          "{randn(0, 4), nonzero(3, 4):to('int8'):int8Pack(), 3, 0, positive(3)}, {randn(2, 0), nonzero(3, 0):to('int8'):int8Pack(), 3, 0, "
          "positive(3)}"};
};

struct Int8Conv2d {
  static constexpr Decl decl{
      .name = "int8Conv2d",
      .signature =
          "[res] x:tensor packed:tensor columns:int kernel:sizes zero:int=0 multiplier:tensor? bias:tensor? weightZero:tensor? "
          "outZero:int=0 dtype:dtype? window:sizes? groups:int=1",
      .result = Rule::custom,
      .method = Method::none,
      .differentiable = false,
      .ulp = 64,
      .doc =
          "Cross-correlation of images of integers x (n, in, h, w), whose result (n, columns, h', w') is channels last: arguments, sums "
          "and dtypes are those of int8Linear, sizes those of conv2d. kernel is {height, width}; window is {stride h, stride w, padding "
          "above, left, below, right, dilation h, dilation w}. Padding counts as `zero`. Floats x are quantised by the range of each "
          "image.",
      .samples =
          "{positive(2, 3, 4, 4), nonzero(2, 3, 2, 2):to('int8'):int8Pack(), 2, {2, 2}, 0, positive(2)}, "
          "{positive(1, 4, 5, 4), nonzero(6, 2, 3, 2):to('int8'):int8Pack(2), 6, {3, 2}, 2, positive(6), randn(6), nil, 3, 'uint8', {2, 1, "
          "1, "
          "0, 1, 0, 1, 2}, 2}, "
          "{positive(1, 4, 3, 3), nonzero(3, 4, 1, 1):to('int8'):int8Pack(), 3, {1, 1}, 1, positive(3), randn(3), randn(3), 0, 'float32', "
          "{1, "
          "1, 0, 1, 1, 0, 1, 1}}"};
};

struct Int8MaxPool2d {
  static constexpr Decl decl{
      .name = "int8MaxPool2d",
      .signature =
          "[res] x:tensor kernelH:int kernelW:int strideH:int? strideW:int? padH:int=0 padW:int=0 ceil:boolean=false dilationH:int=1 "
          "dilationW:int=1",
      .result = Rule::custom,
      .method = Method::none,
      .differentiable = false,
      .doc =
          "The largest element of each window of images of integers (n, channels, h, w), uint8 or int8 (other dtypes are converted to "
          "int8): maxPool2d without positions, whose result is channels last.",
      .samples =
          "{positive(2, 3, 6, 8), 2, 2}, {positive(1, 17, 7, 7), 3, 3, 2, 2, 1, 1}, {positive(1, 2, 5, 7), 2, 3, 2, 2, 0, 0, true}, "
          "{positive(2, 1, 9, 8), 3, 2, 1, 1, 0, 0, false, 2, 3}"};
};

struct Int8Add {
  static constexpr Decl decl{
      .name = "int8Add",
      .signature = "[res] x:tensor y:tensor xScale:number yScale:number xZero:int=0 yZero:int=0 outZero:int=0 dtype:dtype?",
      .result = Rule::custom,
      .method = Method::none,
      .extent = Extent::same,
      .differentiable = false,
      .ulp = 64,
      .doc =
          "Sums of integers with scales of their own: (x - xZero) * xScale + (y - yZero) * yScale, each operation rounded to float32. x "
          "and "
          "y have the same sizes, and are uint8 or int8; other dtypes are converted to int8. The result is a FloatTensor, or by `dtype` a "
          "ByteTensor or CharTensor of this number rounded (half to even), plus outZero, within the bounds of the dtype.",
      .samples =
          "{positive(3, 4), positive(3, 4), 0.5, 0.25}, {positive(2, 3, 4, 5), positive(2, 3, 4, 5), 1.5, 2, 3, 1, 7, 'uint8'}, "
          "{positive(37), positive(37), 0.5, -2, 0, 1, -5, 'int8'}, {positive(0, 2), positive(0, 2), 1, 1}"};
};

struct Int8AvgPool2d {
  static constexpr Decl decl{
      .name = "int8AvgPool2d",
      .signature =
          "[res] x:tensor scale:number kernelH:int kernelW:int strideH:int? strideW:int? padH:int=0 padW:int=0 ceil:boolean=false "
          "countPad:boolean=true zero:int=0 outZero:int=0 dtype:dtype?",
      .result = Rule::custom,
      .method = Method::none,
      .differentiable = false,
      .ulp = 64,
      .doc =
          "The mean of each window of images of integers (n, channels, h, w), uint8 or int8 (other dtypes are converted to int8), channels "
          "last; windows are those of avgPool2d. The sum of x - zero in int32, times scale / (elements of the window), each operation "
          "rounded to float32: a FloatTensor, or by `dtype` a ByteTensor or CharTensor as in int8Add. Padding counts as `zero`. Errors: "
          "windows of more than 2^23 elements.",
      .samples =
          "{positive(2, 3, 6, 8), 0.5, 2, 2}, {positive(1, 17, 7, 7), 1, 7, 7, 1, 1, 0, 0, false, true, 3, 4, 'uint8'}, "
          "{positive(1, 2, 5, 7), 2, 2, 3, 2, 2, 1, 1, true, false, 1}, {positive(1, 2, 5, 7), 2, 3, 3, 2, 2, 1, 1, true, true, 1, -3, "
          "'int8'}"};
};

struct Int8Matmul {
  static constexpr Decl decl{
      .name = "int8Matmul",
      .signature = "[res] x:tensor y:tensor xZero:int=0 yZero:int=0 multiplier:number? outZero:int=0 dtype:dtype?",
      .result = Rule::custom,
      .method = Method::none,
      .differentiable = false,
      .ulp = 64,
      .doc =
          "Products of matrices of integers x (…, n, k) and y (…, k, m), neither of which is packed, -> (…, n, m); the dimensions before "
          "the last two broadcast. Sums of (x - xZero) (y - yZero) in int32. x and y are uint8 or int8; other integers are converted to "
          "int8. Without `multiplier` the sums are the result, an IntTensor. With it the result is sum * multiplier: a FloatTensor, or by "
          "`dtype` a ByteTensor or CharTensor of this number rounded (half to even), plus outZero, within the bounds of the dtype. Floats "
          "are quantised first, x and y together: each row of x by its range, with 0, to uint8, and each column of y to int8 with its "
          "largest element at 127 or -127; their scales multiply `multiplier`, which is then 1 by default. Errors: sizes that don't fit, "
          "more than 65536 elements in a sum.",
      .samples =
          "{positive(3, 5), nonzero(5, 4)}, {positive(2, 3, 6), nonzero(2, 6, 17), 3, 2, 0.5}, "
          "{positive(4, 1, 3, 8), nonzero(2, 8, 3), 1, 0, 0.25, 5, 'uint8'}, {nonzero(2, 5), nonzero(3, 5, 2), 1, 0, 0.5, -3, 'int8'}, "
          "{positive(0, 4), nonzero(4, 3)}, {positive(2, 0), nonzero(0, 3), 0, 0, 1}"};
};

struct Int8Attention {
  static constexpr Decl decl{
      .name = "int8Attention",
      .signature =
          "[res] query:tensor key:tensor value:tensor mask:tensor? causal:boolean=false scale:number? queryZero:int=0 valueZero:int=0 "
          "valueScale:number=1 outZero:int=0 dtype:dtype?",
      .result = Rule::custom,
      .method = Method::none,
      .differentiable = false,
      .ulp = 64,
      .doc =
          "scaledDotProductAttention of integers, uint8 or int8 (other integers are converted to int8); sizes and masks are those of that "
          "op. Scores are sums of (query - queryZero) key in int32, times `scale`, which includes the scales of query and key; a zero "
          "point of the key would add the same to all scores of a query, so there is none. A probability p is exp(score - the largest "
          "score of its query) * 255, rounded to uint8. The result is the sum of p (value - valueZero) in int32, times valueScale / the "
          "sum of p: a FloatTensor, or by `dtype` a ByteTensor or CharTensor of this number rounded (half to even), plus outZero, within "
          "the bounds of the dtype. Floats are quantised first: each row of the query by its range, with 0, to uint8; each row of the key "
          "and each column of the value to int8 with its largest element at 127 or -127. Errors: sizes that don't fit, more than 65536 "
          "elements in a sum, floats and integers together.",
      .samples =
          "{positive(3, 4), nonzero(5, 4), nonzero(5, 2), nil, false, 0.1}, "
          "{positive(2, 1, 67, 3), nonzero(2, 1, 21, 3), nonzero(2, 1, 21, 17), nil, false, 0.2, 1, 2, 0.5, 7, 'uint8'}, "
          "{positive(4, 3, 2), nonzero(2, 40, 2), nonzero(2, 40, 1), positive(3, 40), false, 0.3, 1, 0, 2, -3, 'int8'}, "
          "{positive(2, 3, 4), nonzero(2, 5, 4), nonzero(2, 5, 3), mask(2, 3, 5)}, {positive(20, 3), nonzero(20, 3), nonzero(20, 3), nil, "
          "true, 0.2}, {positive(3, 4), nonzero(0, 4), nonzero(0, 2), nil, false, 1, 0, 0, 1, 3, 'uint8'}"};
};

using Int8Ops = List<Int8Pack, Int8Linear, Int8Conv2d, Int8MaxPool2d, Int8Add, Int8AvgPool2d, Int8Matmul, Int8Attention>;
