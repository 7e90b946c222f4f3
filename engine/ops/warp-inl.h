// Warping of images by a field of positions: declarations. Included inside namespace mt by each device: no include guard. engine/ops/warp.h
// defines how an element of the result is computed along each axis.

struct Warp {
  static constexpr Decl decl{
      .name = "warp",
      .signature =
          "[res] x:tensor field:tensor filter:string=bilinear offset:boolean=true border:string=clamp fill:number=0 dy:int=0 dx:int=0",
      .method = Method::none,
      .ulp = 32,
      .doc =
          "Samples images at given positions: for each element of the result (…, h, w), `field` (2, h, w) has the row and the column in x. "
          "x is (height, width), (channels, height, width) or a batch (n, channels, …), whose images may each have a field (n, 2, h, w). "
          "If `offset` is true, positions are relative to the element, else to the image, whose first element is at 0. `filter` is "
          "nearest, bilinear, bicubic (Catmull-Rom) or lanczos. `border` defines values outside of the image: clamp uses the nearest "
          "element; pad returns `fill` for positions outside; zeros interpolates with zeros. `dy` and `dx` select derivatives of that "
          "order by the position (lanczos: up to 2). Integers are computed as floats and rounded.",
      .samples =
          "{randn(2, 4, 5), constant(0.3, 2, 4, 5)}, {randn(4, 5), randn(2, 3, 4)}, {randn(2, 2, 4, 5), randn(2, 2, 3, 4), 'bilinear', "
          "true, 'pad', 7}, {randn(2, 4, 5), unit(2, 4, 5), 'bicubic'}, {randn(3, 4, 5), unit(2, 4, 5), 'lanczos'}, "
          "{randn(2, 4, 5), positive(2, 3, 7), 'nearest', false}, {randn(1, 2, 6, 5), randn(2, 20, 40), 'bicubic', true, 'pad'}, "
          "{randn(3, 6, 5), randn(2, 20, 40), 'bilinear', true, 'clamp', 0, 1, 0}, {randn(3, 1), randn(2, 3, 1)}, {randn(2, 3, 4), "
          "randn(2, 5, 6), 'bilinear', true, 'zeros'}, {randn(4, 4), randn(2, 4, 4), 'bicubic', true, 'zeros'}, {randn(0, 4, 5), "
          "randn(2, 3, 3)}, {randn(2, 20, 30), positive(2, 7, 40), 'bilinear', false, 'pad', 3}"};
};

struct WarpGrad {
  static constexpr Decl decl{
      .name = "warp_grad",
      .signature =
          "[res] g:tensor field:tensor height:int width:int filter:string=bilinear offset:boolean=true border:string=clamp dy:int=0 "
          "dx:int=0",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc = "The gradient of warp by x, with size height x width, from the gradient g by its result.",
      .samples =
          "{randn(2, 4, 5), constant(0.3, 2, 4, 5), 4, 5}, {randn(3, 4), randn(2, 3, 4), 5, 6}, {randn(2, 2, 3, 4), randn(2, 2, 3, 4), 6, "
          "5, "
          "'bilinear', true, 'pad'}, {randn(2, 4, 5), unit(2, 4, 5), 4, 5, 'bicubic'}, {randn(3, 4, 5), unit(2, 4, 5), 4, 5, 'lanczos'}, "
          "{randn(2, 5, 6), randn(2, 5, 6), 3, 4, 'bilinear', true, 'zeros'}, "
          "{randn(2, 3, 7), positive(2, 3, 7), 4, 4, 'nearest', false}, {randn(3, 4, 5), unit(2, 4, 5), 4, 5, 'bilinear', true, 'clamp', "
          "0, "
          "1}"};
};

using WarpOps = List<Warp, WarpGrad>;
