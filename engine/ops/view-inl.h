// Views (they share the storage of their argument) and the copies that rearrange a tensor: declarations.

struct Narrow {
  static constexpr Decl decl{.name = "narrow",
                             .signature = "[res] x:tensor dim:dim first:index length:int",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .replay = "narrow(x, dim, first, size(result, dim))",
                             .doc =
                                 "A view of `length` slices of dimension dim, from slice `first`; the other dimensions are unchanged. A "
                                 "negative first counts from the end. Raises an error if the slices exceed the dimension.",
                             .samples = "{randn(3, 4), 2, 2, 3}, {randn(5), 1, 5, 1}, {randn(3, 4), -1, 1, 0}, {randn(2, 3, 4), 1, 1, 2}"};
};

struct Select {
  static constexpr Decl decl{
      .name = "select",
      .signature = "[res] x:tensor dim:dim index:index",
      .method = Method::returns,
      .scalar = true,
      .sharing = Sharing::view,
      .replay = "select(x, dim, index)",
      .doc =
          "A view of slice `index` of dimension dim, without that dimension. A negative index counts from the end. Of a vector: its "
          "element, as a number.",
      .samples = "{randn(3, 4), 2, 4}, {randn(3, 4), 1, 1}, {randn(2, 3, 4), -1, 2}, {randn(5), 1, 3}, {randn(5), 2, 3}"};
};

struct Transpose {
  static constexpr Decl decl{.name = "transpose",
                             .signature = "[res] x:tensor dim1:dim dim2:dim",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .replay = "transpose(x, dim1, dim2)",
                             .doc = "A view with dimensions dim1 and dim2 swapped.",
                             .samples = "{randn(3, 4), 1, 2}, {randn(2, 3, 4), 1, -1}, {randn(5), 1, 1}"};
};

struct T {
  static constexpr Decl decl{.name = "t",
                             .signature = "[res] x:tensor",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .replay = "t(x)",
                             .doc = "The transpose of a matrix, a view. Raises an error if x doesn't have 2 dimensions.",
                             .samples = "{randn(3, 4)}, {randn(1, 1)}, {randn(0, 2)}"};
};

struct Permute {
  static constexpr Decl decl{.name = "permute",
                             .signature = "[res] x:tensor dims:dims",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .doc =
                                 "A view with the dimensions in another order: dimension i of the result is dims[i] of x. Each dimension "
                                 "must occur once; -1 is the last.",
                             .samples = "{randn(2, 3, 4), 3, 1, 2}, {randn(2, 3, 4), -1, 1, 2}, {randn(2, 3), 2, 1}, {randn(5), 1}"};
};

struct View {
  static constexpr Decl decl{.name = "view",
                             .signature = "[res] x:tensor sizes:sizes",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .replay = "view(x, size(result))",
                             .doc =
                                 "A view with other sizes and the same number of elements; one size may be -1: it is then computed. The "
                                 "tensor must be contiguous, "
                                 "or each new dimension a part of an old one, or of some whose elements are equally far apart.",
                             .samples = "{randn(3, 4), 2, 6}, {randn(3, 4), -1}, {randn(3, 4), 2, -1, 3}, {randn(0, 3), 3, 0}"};
};

struct ViewAs {
  static constexpr Decl decl{.name = "viewAs",
                             .signature = "[res] x:tensor template:tensor",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .doc = "A view with the sizes of another tensor, which must have the same number of elements. See view.",
                             .samples = "{randn(3, 4), randn(2, 6)}, {randn(6), randn(1, 6)}"};
};

struct Reshape {
  static constexpr Decl decl{
      .name = "reshape",
      .signature = "[res] x:tensor sizes:sizes",
      .method = Method::returns,
      .dtypes = moved_dtypes,
      .sharing = Sharing::maybe,
      .doc = "A copy with other sizes and the same number of elements, in row-major order; one size may be -1: it is then computed.",
      .samples = "{randn(3, 4), 2, 6}, {randn(3, 4), -1}, {randn(5), 5, 1}, {randn(0, 3), 0}"};
};

struct Expand {
  static constexpr Decl decl{.name = "expand",
                             .signature = "[res] x:tensor sizes:sizes",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .replay = "expand(x, size(result))",
                             .doc =
                                 "A view in which dimensions of size 1 are repeated to the given sizes, without copying. Additional "
                                 "leading sizes add dimensions; -1 keeps a size.",
                             .samples = "{randn(3, 1), 3, 4}, {randn(1, 1), 2, 3}, {randn(4), 3, 4}, {randn(2, 1, 3), -1, 5, 3}"};
};

struct ExpandAs {
  static constexpr Decl decl{.name = "expandAs",
                             .signature = "[res] x:tensor template:tensor",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .replay = "expand(x, size(result))",
                             .doc = "expand to the sizes of another tensor.",
                             .samples = "{randn(3, 1), randn(3, 4)}, {randn(1), randn(5)}"};
};

struct Squeeze {
  static constexpr Decl decl{.name = "squeeze",
                             .signature = "[res] x:tensor dim:dim?",
                             .method = Method::returns,
                             .scalar = true,
                             .sharing = Sharing::view,
                             .doc =
                                 "A view without the dimensions of size 1, or, with dim, without that one if its size is 1. If no "
                                 "dimension remains, the result is a number.",
                             .samples = "{randn(3, 1, 4)}, {randn(3, 1, 1), 2}, {randn(3, 4), 1}, {randn(1, 5)}"};
};

struct Unsqueeze {
  static constexpr Decl decl{.name = "unsqueeze",
                             .signature = "[res] x:tensor dim:dim",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .doc = "A view with an additional dimension of size 1, which is dimension dim of the result.",
                             .samples = "{randn(3, 4), 1}, {randn(3, 4), 3}, {randn(5), -1}"};
};

struct Unfold {
  static constexpr Decl decl{.name = "unfold",
                             .signature = "[res] x:tensor dim:dim size:int step:int",
                             .method = Method::returns,
                             .sharing = Sharing::view,
                             .doc =
                                 "A view of windows of `size` slices along dimension dim, one every `step`: dim then counts the windows, "
                                 "and a new last dimension the slices of each window.",
                             .samples = "{randn(7), 1, 3, 2}, {randn(4, 5), 2, 2, 1}, {randn(4, 5), 1, 4, 1}"};
};

struct ComplexNumbers {
  static constexpr Decl decl{
      .name = "complex",
      .signature = "[res] re:tensor|number im:tensor|number",
      .result = Rule::complex,
      .method = Method::none,
      .scalar = true,
      .broadcasts = true,
      .doc =
          "Complex numbers from their real and imaginary parts, broadcast; one of them may be a number. The result is a ComplexFloatTensor "
          "if "
          "the common type of the parts is float32 or float16, otherwise a ComplexDoubleTensor; of two numbers: a complex number.",
      .samples = ""};
};

struct RealPart {
  static constexpr Decl decl{.name = "real",
                             .signature = "[res] z:tensor",
                             .result = Rule::real,
                             .method = Method::none,
                             .dtypes = any_number_dtypes,
                             .sharing = Sharing::view,
                             .replay = "real(z)",
                             .doc =
                                 "The real parts of complex numbers, a view: a write to it changes z. Of a real tensor: the tensor. (The "
                                 "method x:real() is Torch7's conversion to the default type.)",
                             .samples = "{randn(3, 4)}, {randn(5)}"};
};

struct ImaginaryPart {
  static constexpr Decl decl{.name = "imag",
                             .signature = "[res] z:tensor",
                             .method = Method::returns,
                             .dtypes = complex_dtypes,
                             .sharing = Sharing::view,
                             .replay = "imag(z)",
                             .doc = "The imaginary parts of complex numbers, a view: a write to it changes z.",
                             .samples = ""};
};

struct ViewAsReal {
  static constexpr Decl decl{.name = "viewAsReal",
                             .signature = "[res] z:tensor",
                             .method = Method::returns,
                             .dtypes = complex_dtypes,
                             .sharing = Sharing::view,
                             .replay = "viewAsReal(z)",
                             .doc =
                                 "A view of complex numbers as real ones, with a new last dimension of size 2: the real and the imaginary "
                                 "part.",
                             .samples = ""};
};

struct ViewAsComplex {
  static constexpr Decl decl{.name = "viewAsComplex",
                             .signature = "[res] x:tensor",
                             .result = Rule::complex,
                             .method = Method::returns,
                             .dtypes = dtypes_of(DType::float32, DType::float64),
                             .sharing = Sharing::view,
                             .replay = "viewAsComplex(x)",
                             .doc =
                                 "A view of a FloatTensor or DoubleTensor as complex numbers. Its last dimension has size 2, the real and "
                                 "the imaginary part, which are adjacent; the offset and the other strides are even.",
                             .samples = "{randn(3, 2)}, {randn(4, 3, 2)}"};
};

struct Contiguous {
  static constexpr Decl decl{.name = "contiguous",
                             .signature = "[res] x:tensor",
                             .method = Method::returns,
                             .dtypes = moved_dtypes,
                             .sharing = Sharing::maybe,
                             .extent = Extent::same,
                             .doc = "x in row-major order without gaps: a view of x if it is contiguous already, else a copy.",
                             .samples = "{randn(3, 4)}, {randn(0)}"};
};

struct ChannelsLast {
  static constexpr Decl decl{.name = "channelsLast",
                             .signature = "[res] x:tensor",
                             .method = Method::returns,
                             .dtypes = moved_dtypes,
                             .sharing = Sharing::maybe,
                             .extent = Extent::same,
                             .doc =
                                 "x (n, c, h, w) or (n, c, t, h, w), with its channels last in memory: a view of x if it has this layout "
                                 "already, else a copy. Sizes and indices do not change. Convolutions, pooling, batchNorm, cat, index and "
                                 "elementwise ops return results in the same layout; contiguous() restores the usual one. Convolutions "
                                 "with few channels, strides or 1 x 1 kernels are faster in this layout.",
                             .samples = "{randn(2, 3, 4, 5)}, {randn(2, 3, 2, 4, 5)}, {randn(2, 1, 3, 3)}, {randn(0, 2, 3, 3)}"};
};

struct Subrange {
  static constexpr Decl decl{
      .name = "sub",
      .signature = "[res] x:tensor ranges:indices",
      .method = Method::returns,
      .sharing = Sharing::view,
      .replay = "sub(x, ranges)",
      .doc =
          "A view of ranges of the leading dimensions: x:sub(first1, last1, first2, last2, ...), both ends included; negative "
          "positions count from the end.",
      .samples = "{randn(5), 2, 4}, {randn(3, 4), 1, 2, -2, -1}, {randn(3, 4), -1, -1}"};
};

struct AsStrided {
  static constexpr Decl decl{
      .name = "as_strided",
      .signature = "[res] x:tensor sizes:sizes strides:sizes offset:index=first",
      .method = Method::returns,
      .sharing = Sharing::view,
      .doc =
          "A view of x's storage with any sizes and strides (tables or LongStorages), from element `offset` of the storage. It must lie "
          "inside the storage. The tape records it if x is contiguous and the view lies inside x.",
      .samples = "{randn(12), {3, 2}, {4, 1}, 2}, {randn(5), {3, 3}, {1, 1}}"};
};

struct StridedView {
  static constexpr Decl decl{
      .name = "strided_view",
      .signature = "[res] x:tensor sizes:sizes strides:sizes offset:index=first",
      .method = Method::none,
      .dtypes = moved_dtypes,
      .sharing = Sharing::maybe,
      .doc =
          "The elements of x, in the order of its dimensions, as a vector, seen with any sizes and strides (tables or LongStorages) from "
          "its element `offset`. A view if x is contiguous. Unlike as_strided it depends on x alone, and not on where its elements are in "
          "the storage.",
      .samples = "{randn(12), {3, 2}, {4, 1}, 2}, {randn(5), {3, 3}, {1, 1}}, {randn(3, 4), {2, 2}, {6, 1}, 3}"};
};

struct StridedScatter {
  static constexpr Decl decl{
      .name = "strided_scatter",
      .signature = "[res] x:tensor y:tensor sizes:sizes strides:sizes offset:index=first",
      .method = Method::none,
      .dtypes = moved_dtypes,
      .extent = Extent::same,
      .doc =
          "A copy of x in which the elements that strided_view(x, sizes, strides, offset) shows are those of y, which has these sizes. "
          "Elements that the view shows several times get the last one.",
      .samples = "{randn(12), randn(3, 2), {3, 2}, {4, 1}, 2}, {randn(3, 4), randn(2, 2), {2, 2}, {6, 1}, 3}"};
};

struct Diag {
  static constexpr Decl decl{.name = "diag",
                             .signature = "[res] x:tensor k:int=0",
                             .method = Method::returns,
                             .dtypes = moved_dtypes,
                             .doc =
                                 "For a vector: the square matrix with the vector on diagonal k and zeros elsewhere. For a matrix: a copy "
                                 "of its diagonal k. Diagonal 0 is the main one, positive ones are above.",
                             .samples = "{randn(3)}, {randn(3), 2}, {randn(3), -1}, {randn(3, 4)}, {randn(3, 4), 2}, {randn(4, 3), -1}"};
};

struct RepeatTensor {
  static constexpr Decl decl{.name = "repeatTensor",
                             .signature = "[res] x:tensor counts:sizes",
                             .method = Method::returns,
                             .dtypes = moved_dtypes,
                             .doc =
                                 "A copy of x repeated counts[i] times along dimension i. If there are more counts than dimensions, the "
                                 "first ones are for new leading dimensions.",
                             .samples = "{randn(2, 3), 2, 2}, {randn(4), 3, 2}, {randn(2, 3), 1, 1}, {randn(2), 0}"};
};

struct Cat {
  static constexpr Decl decl{
      .name = "cat",
      .signature = "[res] tensors:tensors a:tensor b:tensor dim:dim=last",
      .forms = "tensors dim | a b dim",
      .method = Method::returns,
      .dtypes = moved_dtypes,
      .doc =
          "Joins tensors along dimension dim: cat({a, b, ...}, dim) or cat(a, b, dim). By default dim is the last dimension of the tensor "
          "with the most. Dimensions that a tensor lacks count as size 1, so that a new dim stacks the tensors. Tensors without "
          "dimensions, and vectors without elements among tensors of more dimensions, are ignored; all sizes except that of dim must "
          "agree. The result is channels last if all tensors are images in that layout.",
      .samples =
          "{{randn(2, 3), randn(2, 1)}}, {{randn(2, 3), randn(1, 3), randn(3, 3)}, 1}, {randn(3), randn(2)}, {randn(3), randn(3), 2}, "
          "{randn(2, 3), randn(2), 2}",
      .precision = Precision::widest};
};

struct NarrowGrad {
  static constexpr Decl decl{
      .name = "narrow_grad",
      .signature = "[res] g:tensor size:sizes dim:dim first:index",
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .doc = "The gradient of narrow: a tensor of the given size, zero except for g in the slices of dimension dim from `first`.",
      .samples = "{randn(3, 2), {3, 4}, 2, 2}, {randn(2), {5}, 1, 4}, {randn(0, 3), {2, 3}, 1, 1}, {randn(2, 2, 3), {2, 4, 3}, -2, -2}"};
};

struct SelectGrad {
  static constexpr Decl decl{
      .name = "select_grad",
      .signature = "[res] g:tensor size:sizes dim:dim index:index",
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .doc = "The gradient of select: a tensor of the given size, zero except for g in slice `index` of dimension dim.",
      .samples =
          "{randn(3), {3, 4}, 2, 4}, {randn(1), {5}, 1, 3}, {randn(2, 4), {2, 3, 4}, 2, 1}, {randn(2, 3), {2, 3, "
          "4}, -1, 2}, {randn(1), {5}, 2, 3}"};
};

struct SubGrad {
  static constexpr Decl decl{.name = "sub_grad",
                             .signature = "[res] g:tensor size:sizes ranges:indices",
                             .method = Method::none,
                             .dtypes = any_number_dtypes,
                             .doc = "The gradient of sub: a tensor of the given size, zero except for g in the part that `ranges` selects.",
                             .samples = "{randn(3), {5}, {2, 4}}, {randn(2, 3), {3, 3}, {-2, -1}}, {randn(1, 2), {3, 4}, {2, 2, 1, 2}}"};
};

struct ExpandGrad {
  static constexpr Decl decl{
      .name = "expand_grad",
      .signature = "[res] g:tensor size:sizes",
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .sharing = Sharing::maybe,
      .ulp = 2,
      .doc =
          "The gradient of expand, and of broadcasting: g summed to the given size, over dimensions that are missing there or have size 1. "
          "If the size has as many elements as g, g is reshaped to it.",
      .samples =
          "{randn(3, 4), {1, 4}}, {randn(3, 4), {4}}, {randn(2, 3, 4), {3, 1}}, {randn(3, 4), {1}}, {randn(6), {2, 3}}, {randn(0, 3), {1, "
          "3}}"};
};
