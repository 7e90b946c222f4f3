// Conversions between floats and integers of 8 bits, and products with weights of 16 bits: declarations. Included inside namespace mt by
// each device: no include guard. scale and zero have one element, or one for each slice along axis.

struct Quantize {
  static constexpr Decl decl{
      .name = "quantize",
      .signature = "[res] x:tensor scale:tensor zero:tensor? axis:dim? dtype:dtype?",
      .result = Rule::custom,
      .method = Method::none,
      .extent = Extent::same,
      .differentiable = false,
      .doc =
          "Integers that represent the numbers x = scale (q - zero): x / scale rounded (half to even) plus zero, within the bounds of the "
          "dtype, torch.ByteTensor (default) or torch.CharTensor. scale and zero (default 0) have one element, or with `axis` one for each "
          "slice. NaN becomes the least integer. It has no derivative: fakeQuantize has.",
      .samples =
          "{randn(3, 4), positive(1), positive(1)}, {randn(3, 4), positive(4), positive(4), 2, 'int8'}, "
          "{randn(2, 3, 2), positive(3), nil, -2, 'int8'}, {randn(0, 3), positive(1)}, {randn(300), positive(1), nil, nil, 'int8'}"};
};

struct Dequantize {
  static constexpr Decl decl{
      .name = "dequantize",
      .signature = "[res] q:tensor scale:tensor zero:tensor? axis:dim?",
      .result = Rule::custom,
      .method = Method::none,
      .extent = Extent::same,
      .differentiable = false,
      .doc =
          "The numbers scale (q - zero) of integers from quantize, in float32, or float64 if scale is. q, zero: integers of up to 32 bits; "
          "other dtypes are converted to int32.",
      .samples =
          "{randn(3, 4), positive(1), positive(1)}, {randn(3, 4), positive(4), positive(4), 2}, {randn(2, 3, 2), positive(3), nil, -2}, "
          "{randn(0, 3), positive(1)}"};
};

struct FakeQuantize {
  static constexpr Decl decl{
      .name = "fakeQuantize",
      .signature = "[res] x:tensor scale:tensor zero:tensor? axis:dim? least:int=0 most:int=255",
      .result = Rule::float_result,
      .method = Method::none,
      .extent = Extent::same,
      .doc =
          "What dequantize returns for quantize's integers in least..most: x as it is after quantisation. The gradient passes elements "
          "within the bounds, and is 0 for others (straight-through, Bengio et al. (2013), arXiv:1308.3432); scale and zero get none.",
      .samples =
          "{randn(3, 4), positive(1), positive(1)}, {randn(3, 4), positive(4), positive(4), 2, -8, 7}, "
          "{randn(2, 3, 2), positive(3), nil, -2, -1, 1}, {randn(0, 3), positive(1)}"};
};

struct FakeQuantizeGrad {
  static constexpr Decl decl{
      .name = "fakeQuantize_grad",
      .signature = "[res] g:tensor x:tensor scale:tensor zero:tensor? axis:dim? least:int=0 most:int=255",
      .result = Rule::float_result,
      .method = Method::none,
      .extent = Extent::same,
      .doc = "The gradient of fakeQuantize by x: g where x is within the bounds, else 0.",
      .samples =
          "{randn(3, 4), randn(3, 4), positive(1), positive(1)}, {randn(3, 4), randn(3, 4), positive(4), positive(4), 2, -1, 1}, "
          "{randn(2, 3, 2), randn(2, 3, 2), positive(3), nil, -2, -1, 1}, {randn(0, 3), randn(0, 3), positive(1)}"};
};

struct Int8Map {
  static constexpr Decl decl{
      .name = "int8Map",
      .signature = "[res] x:tensor values:tensor",
      .result = Rule::custom,
      .method = Method::none,
      .extent = Extent::same,
      .differentiable = false,
      .doc =
          "A function of integers of 8 bits by the table of its 256 values: of 0..255 for uint8, of -128..127 for int8; other dtypes are "
          "converted to uint8. The result has the dtype of values.",
      .samples = "{positive(3, 4), randn(256)}, {positive(300), randn(256)}, {positive(0, 3), randn(256)}"};
};

struct Linear16 {
  static constexpr Decl decl{
      .name = "linear16",
      .signature = "[res] x:tensor weight:tensor bias:tensor?",
      .result = Rule::custom,
      .method = Method::none,
      .differentiable = false,
      .ulp = 64,
      .doc =
          "x weight' + bias in float32 for a weight of 16 bits, HalfTensor or BFloat16Tensor: x (…, in), weight (out, in), bias (out) -> "
          "(…, out), a FloatTensor. A weight of another dtype is converted to float32. For inference: it has no derivative.",
      .samples =
          "{randn(3, 4), randn(5, 4), randn(5)}, {randn(4), randn(5, 4)}, {randn(2, 1, 21), randn(7, 21), randn(7)}, {randn(9, 40), "
          "randn(6, 40), randn(6)}, {randn(0, 4), randn(5, 4)}, {randn(2, 0), randn(5, 0), randn(5)}"};
};

using QuantizeOps = List<Quantize, Dequantize, FakeQuantize, FakeQuantizeGrad, Int8Map, Linear16>;
