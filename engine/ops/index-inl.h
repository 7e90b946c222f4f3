// Selecting and writing by index tensors: declarations. Index tensors hold positions counted from 1, in any integer dtype; ops check all
// positions before they write anything.

struct Index {
  static constexpr Decl decl{
      .name = "index",
      .signature = "[res] x:tensor dim:dim index:tensor",
      .method = Method::returns,
      .dtypes = moved_dtypes,
      .doc = "A copy of the slices of dimension dim at the positions in the vector `index`, in its order; positions may repeat.",
      .samples = "{randn(4, 3), 1, positions(4, 5)}, {randn(4, 3), 2, positions(3, 2)}, {randn(5), 1, positions(5, 7)}",
      .alias = "indexSelect"};
};

struct IndexAdd {
  static constexpr Decl decl{
      .name = "indexAdd",
      .signature = "[res] x:tensor dim:dim index:tensor source:tensor",
      .dtypes = any_number_dtypes,
      .doc = "Adds slice i of source to slice index[i] of x along dimension dim; if a position repeats, the slices are added in order.",
      .samples = "{randn(4, 3), 1, positions(4, 5), randn(5, 3)}, {randn(4, 3), 2, positions(3, 2), randn(4, 2)}",
      .precision = Precision::widest};
};

struct IndexGrad {
  static constexpr Decl decl{
      .name = "index_grad",
      .signature = "[res] g:tensor size:sizes dim:dim index:tensor",
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .doc =
          "The gradient of index: a tensor of the given size, zero except that slice i of g is added to slice index[i] of dimension dim.",
      .samples =
          "{randn(5, 3), {4, 3}, 1, positions(4, 5)}, {randn(4, 2), {4, 3}, -1, positions(3, 2)}, {randn(7), {5}, 1, positions(5, 7)}"};
};

struct IndexCopy {
  static constexpr Decl decl{
      .name = "indexCopy",
      .signature = "[res] x:tensor dim:dim index:tensor source:tensor",
      .dtypes = moved_dtypes,
      .doc = "Writes slice i of source to slice index[i] of x along dimension dim; if a position repeats, the last slice wins.",
      .samples = "{randn(4, 3), 1, positions(4, 5), randn(5, 3)}, {randn(4, 3), 2, positions(3, 2), randn(4, 2)}",
      .precision = Precision::widest};
};

struct IndexFill {
  static constexpr Decl decl{.name = "indexFill",
                             .signature = "[res] x:tensor dim:dim index:tensor value:number",
                             .dtypes = moved_dtypes,
                             .doc = "Sets the slices of x at the positions in `index` along dimension dim to a number.",
                             .samples = "{randn(4, 3), 1, positions(4, 2), 2.5}, {randn(4, 3), 2, positions(3, 2), -1}"};
};

struct Gather {
  static constexpr Decl decl{
      .name = "gather",
      .signature = "[res] x:tensor dim:dim index:tensor",
      .method = Method::returns,
      .dtypes = moved_dtypes,
      .doc =
          "res[i][j] = x[index[i][j]][j] for dim 1, and so on for any dimension: sizes of index, which exceed those of x only along "
          "dim.",
      .samples = "{randn(4, 3), 1, positions(4, {2, 3})}, {randn(4, 3), 2, positions(3, {4, 5})}, {randn(5), 1, positions(5, 3)}"};
};

struct GatherGrad {
  static constexpr Decl decl{.name = "gather_grad",
                             .signature = "[res] g:tensor size:sizes dim:dim index:tensor",
                             .method = Method::none,
                             .dtypes = any_number_dtypes,
                             .doc =
                                 "The gradient of gather: a tensor of the given size, zero except that each element of g is added at the "
                                 "position from which gather read.",
                             .samples = "{randn(2, 3), {4, 3}, 1, positions(4, {2, 3})}, {randn(4, 5), {4, 3}, -1, positions(3, {4, 5})}"};
};

struct Scatter {
  static constexpr Decl decl{.name = "scatter",
                             .signature = "[res] x:tensor dim:dim index:tensor source:tensor|number",
                             .method = Method::always_in_place,
                             .dtypes = moved_dtypes,
                             .doc =
                                 "x[index[i][j]][j] = source[i][j] for dim 1, and so on for any dimension; source has at least index's "
                                 "sizes, or is a number; torch.scatter writes into x, too. If a position repeats, the last element wins.",
                             .samples = "{randn(4, 3), 1, positions(4, {2, 3}), randn(2, 3)}, {randn(4, 3), 2, positions(3, {4, 1}), 2.5}"};
};

struct ScatterAdd {
  static constexpr Decl decl{
      .name = "scatterAdd",
      .signature = "[res] x:tensor dim:dim index:tensor source:tensor",
      .dtypes = any_number_dtypes,
      .doc = "Like scatter, but adds: if a position repeats, all its elements are added.",
      .samples = "{randn(4, 3), 1, positions(4, {2, 3}), randn(2, 3)}, {randn(4, 3), 2, positions(3, {4, 5}), randn(4, 5)}",
      .precision = Precision::widest};
};

struct Take {
  static constexpr Decl decl{.name = "take",
                             .signature = "[res] x:tensor index:tensor",
                             .method = Method::returns,
                             .dtypes = moved_dtypes,
                             .doc = "Elements of x at positions in row-major order. Sizes of index.",
                             .samples = "{randn(4, 3), positions(12, {2, 2})}, {randn(5), positions(5, 3)}"};
};
