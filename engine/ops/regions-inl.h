// Regions of images: suppression of overlapping boxes, and values of images in boxes. Declarations. Included inside namespace mt by each
// device: no include guard. Boxes are rows x1, y1, x2, y2 in continuous coordinates: the first pixel of an image covers 0 to 1.

struct NmsMask {
  static constexpr Decl decl{
      .name = "nmsMask",
      .signature = "[res] boxes:tensor threshold:number groups:tensor?",
      .result = Rule::mask,
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "Which boxes (n, 4) survive non-maximum suppression: 1 for each box whose intersection over union with every earlier survivor "
          "is at most threshold. Rows come in the order of their scores, the best one first. Boxes of different groups, integers (n), do "
          "not meet. A ByteTensor (n).",
      .samples = "{randn(9, 4), 0.1}, {randn(40, 4), 0.3, positions(3, 40)}, {randn(70, 4), 0}, {full(1, 3, 4), 0.5}, {randn(0, 4), 0.5}"};
};

struct RoiAlign {
  static constexpr Decl decl{
      .name = "roiAlign",
      .signature = "[res] x:tensor boxes:tensor index:tensor height:int width:int scale:number=1 samples:int=0 aligned:boolean=false",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc =
          "Means of bilinear samples of images x (n, channels, rows, columns) in height x width equal bins of each box (k, 4): a tensor "
          "(k, "
          "channels, height, width). Box i lies in image index[i], from 1. Coordinates are multiplied by scale. samples: per bin and axis; "
          "0 takes about one per pixel. Samples more than a pixel outside are 0, others outside are clamped. Without aligned, pixels are "
          "points at whole coordinates and a box is at least 1 wide; with it they are half a pixel further, as x's scale demands. Boxes "
          "with a coordinate that is NaN or beyond 2^30 give 0. He et al. (2017), \"Mask R-CNN\", section 3.",
      .samples =
          "{randn(2, 3, 5, 6), randn(4, 4), positions(2, 4), 2, 3, 2}, {randn(1, 2, 7, 20), randn(3, 4), positions(1, 3), 3, 2, 3, 2, "
          "true}, {randn(2, 1, 4, 3), randn(2, 4), positions(2, 2), 1, 1, 1.5, 3}, {randn(1, 1, 1, 1), randn(2, 4), positions(1, 2), 2, "
          "2}, {randn(1, 2, 3, 3), randn(0, 4), positions(1, 0), 2, 2}, {randn(1, 0, 3, 3), randn(2, 4), positions(1, 2), 2, 2}"};
};

struct RoiAlignGrad {
  static constexpr Decl decl{
      .name = "roiAlign_grad",
      .signature = "[res] g:tensor size:sizes boxes:tensor index:tensor scale:number=1 samples:int=0 aligned:boolean=false",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc = "The gradient of roiAlign by images of the given size, from the gradient g by its result.",
      .samples =
          "{randn(4, 3, 2, 3), {2, 3, 5, 6}, randn(4, 4), positions(2, 4), 2}, {randn(3, 2, 3, 2), {1, 2, 7, 20}, randn(3, 4), "
          "positions(1, 3), 3, 2, true}, {randn(0, 2, 2, 2), {1, 2, 3, 3}, randn(0, 4), positions(1, 0)}"};
};

struct RoiMax {
  static constexpr Decl decl{
      .name = "roiMax",
      .signature = "[res places] x:tensor boxes:tensor index:tensor height:int width:int scale:number=1",
      .method = Method::none,
      .dtypes = float_dtypes,
      .doc =
          "Largest elements of images x (n, channels, rows, columns) in height x width bins of each box (k, 4), and their places in a "
          "channel, rows * columns from 1. Box i lies in image index[i], from 1. Coordinates are multiplied by scale and rounded; a box "
          "includes its last pixel, and bins are rounded outwards. Of equal elements the first counts; NaN is larger than any number. Bins "
          "outside, and boxes with a coordinate that is NaN or beyond 2^30, have element and place 0. Girshick (2015), \"Fast R-CNN\", "
          "section 2.1.",
      .samples =
          "{randn(2, 3, 5, 6), randn(4, 4), positions(2, 4), 2, 3, 2}, {randn(1, 2, 7, 20), randn(3, 4), positions(1, 3), 3, 2, 4}, "
          "{full(nan, 1, 1, 2, 2), randn(2, 4), positions(1, 2), 2, 2}, {randn(1, 2, 3, 3), randn(0, 4), positions(1, 0), 2, 2}"};
};

using RegionsOps = List<NmsMask, RoiAlign, RoiAlignGrad, RoiMax>;
