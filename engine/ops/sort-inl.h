// Sorting and order statistics along a dimension: declarations.

struct Sort {
  static constexpr Decl decl{
      .name = "sort",
      .signature = "[values indices] x:tensor dim:dim=last descending:boolean=false",
      .forms = "x dim descending | x descending",
      .method = Method::returns,
      .extent = Extent::alike,
      .doc =
          "x sorted along dim, and for each element its position in x, from 1, as a LongTensor. Sizes of x. Equal elements keep "
          "their order. NaN is larger than all.",
      .samples = "{randn(7)}, {randn(3, 5)}, {randn(3, 5), 1}, {randn(3, 5), true}, {randn(2, 3, 4), 2, true}, {full(nan)}, {randn(0)}"};
};

struct Topk {
  static constexpr Decl decl{
      .name = "topk",
      .signature = "[values indices] x:tensor k:int=1 dim:dim=last largest:boolean=false sorted:boolean=false",
      .forms = "x k dim largest sorted | x k largest sorted",
      .method = Method::returns,
      .extent = Extent::alike,
      .doc =
          "The k smallest elements along dim, or the k largest, and their positions from 1 as a LongTensor. They are always sorted (the "
          "largest: descending); of equal elements the first ones are chosen. NaN is larger than all. k outside 0..size of dim is an "
          "error.",
      .samples =
          "{randn(7)}, {randn(7), 3}, {randn(3, 5), 2, 1, true, true}, {randn(3, 5), 4, 2, false, true}, {randn(2, 30), 20, 2, true}"};
};

struct Kthvalue {
  static constexpr Decl decl{.name = "kthvalue",
                             .signature = "[values indices] x:tensor k:int dim:dim=last",
                             .method = Method::returns,
                             .doc =
                                 "The k-th smallest element along dim, which stays with size 1, and its position from 1 as a LongTensor, "
                                 "with equal elements ranked in their order. NaN is larger than all. k outside 1..size of dim is an error.",
                             .samples = "{randn(7), 3}, {randn(3, 5), 2, 1}, {randn(3, 5), 5}, {randn(2, 3, 4), 1, -2}"};
};

struct Median {
  static constexpr Decl decl{
      .name = "median",
      .signature = "[values indices] x:tensor dim:dim=last",
      .method = Method::returns,
      .doc =
          "The median along dim, which stays with size 1, and its position from 1 as a LongTensor: for an even number of elements the "
          "lower of the two in the middle. NaN is larger than all. A dimension without elements is an error.",
      .samples = "{randn(7)}, {randn(3, 6)}, {randn(3, 5), 1}, {randn(2, 3, 4), -2}"};
};

struct Mode {
  static constexpr Decl decl{
      .name = "mode",
      .signature = "[values indices] x:tensor dim:dim=last",
      .method = Method::returns,
      .doc =
          "The most frequent value along dim, which stays with size 1, the smallest one on ties, and its last position from 1 as a "
          "LongTensor. All NaN count as one value. A dimension without elements is an error.",
      .samples = "{randn(7)}, {range(1, 6)}, {full(2)}, {randn(3, 5), 1}, {randn(2, 3, 4), -2}"};
};
