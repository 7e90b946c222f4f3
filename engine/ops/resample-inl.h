// Resampling of images: declarations. Included inside namespace mt by each device: no include guard.
// engine/ops/resample.h defines how an element of the result is computed along each axis.

struct Resample {
  static constexpr Decl decl{
      .name = "resample",
      .signature = "[res] x:tensor height:int width:int filter:string=bilinear sampling:string=antialiased",
      .method = Method::none,
      .ulp = 32,
      .doc =
          "Images (…, h, w) at another size, (…, height, width), axis by axis. `filter` is nearest, box, bilinear, hamming, bicubic or "
          "lanczos. `sampling` is the position and width of the filter: 'antialiased' widens it if an axis shrinks, as in Pillow; 'plain' "
          "(nearest, bilinear, bicubic) does not, as in PyTorch's interpolate; 'corners' is like 'plain', but the first and last elements "
          "keep their positions; 'aligned' is Torch7's: like 'corners', but if an axis shrinks, bilinear computes means of areas, and "
          "bicubic is Catmull-Rom. Edges are repeated. Bytes are rounded after each axis, the horizontal one first (antialiased: unless "
          "the image becomes lower and wider); other integers are computed in float64 and rounded.",
      .samples =
          "{randn(2, 5, 7), 3, 4}, {randn(5, 7), 9, 11}, {randn(2, 7, 9), 4, 12, 'box'}, {randn(8, 6), 3, 9, 'hamming'}, "
          "{randn(2, 9, 7), 4, 10, 'bicubic'}, {randn(12, 13), 5, 6, 'lanczos'}, {randn(1, 2, 4, 5), 7, 3, 'nearest'}, "
          "{randn(4, 5), 7, 3, 'nearest', 'plain'}, {randn(3, 7, 5), 4, 9, 'bilinear', 'plain'}, {randn(7, 5), 4, 9, 'bicubic', 'plain'}, "
          "{randn(3, 7, 5), 3, 8, 'bilinear', 'aligned'}, {randn(4, 9), 7, 4, 'bilinear', 'aligned'}, {randn(6, 5), 9, 3, 'bicubic', "
          "'aligned'}, {randn(6, 5), 4, 7, 'bicubic', 'aligned'}, {randn(1, 4), 5, 4, 'bicubic', 'aligned'}, {randn(7, 5), 3, 9, "
          "'bilinear', 'corners'}, {randn(4, 6), 1, 5, 'bicubic', 'corners'}, {randn(6, 4), 1, 1, "
          "'bicubic', 'aligned'}, {randn(19, 35), 38, 70, "
          "'nearest'}, "
          "{randn(3, 0, 4, 4), 2, 2}"};
};

struct ResampleGrad {
  static constexpr Decl decl{
      .name = "resample_grad",
      .signature = "[res] g:tensor height:int width:int filter:string=bilinear sampling:string=antialiased",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 32,
      .doc = "The gradient of resample by x, with size height x width, from the gradient g by its result.",
      .samples =
          "{randn(2, 3, 4), 5, 7}, {randn(9, 11), 5, 7}, {randn(4, 10), 9, 7, 'bicubic'}, {randn(5, 6), 12, 13, 'lanczos'}, "
          "{randn(7, 3), 4, 5, 'nearest'}, {randn(3, 3), 8, 9, 'nearest', 'plain'}, {randn(3, 4, 9), 7, 5, 'bilinear', 'plain'}, "
          "{randn(4, 9), 7, 5, 'bicubic', 'plain'}, {randn(3, 8), 7, 5, 'bilinear', 'aligned'}, {randn(9, 7), 6, 5, 'bicubic', 'aligned'}, "
          "{randn(20, 40), 60, 20}, {randn(2, 90, 20), 40, 70, 'bicubic'}, {randn(20, 90), 70, 40, 'lanczos'}"};
};
