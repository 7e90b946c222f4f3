// Copies with moved or zeroed elements: declarations.

struct Tril {
  static constexpr Decl decl{
      .name = "tril",
      .signature = "[res] x:tensor k:int=0",
      .method = Method::returns,
      .dtypes = moved_dtypes,
      .doc =
          "A copy of a matrix with zeros above diagonal k: elements with column - row <= k stay. With more dimensions, likewise for every "
          "matrix of the last two.",
      .samples = "{randn(3, 4)}, {randn(4, 3), 1}, {randn(4, 4), -2}, {randn(2, 3, 3)}, {randn(3, 3), 9}, {randn(0, 3)}"};
};

struct Triu {
  static constexpr Decl decl{
      .name = "triu",
      .signature = "[res] x:tensor k:int=0",
      .method = Method::returns,
      .dtypes = moved_dtypes,
      .doc =
          "A copy of a matrix with zeros below diagonal k: elements with column - row >= k stay. With more dimensions, likewise for every "
          "matrix of the last two.",
      .samples = "{randn(3, 4)}, {randn(4, 3), 1}, {randn(4, 4), -2}, {randn(2, 3, 3)}, {randn(3, 3), 9}, {randn(0, 3)}"};
};

struct Flip {
  static constexpr Decl decl{.name = "flip",
                             .signature = "[res] x:tensor dims:dims?",
                             .method = Method::returns,
                             .dtypes = moved_dtypes,
                             .doc = "A copy with the elements in reverse order along some dimensions: flip(x, 1, 3); by default along all.",
                             .samples =
                                 "{randn(5)}, {randn(3, 4), 1}, {randn(3, 4), -1}, {randn(2, 3, 4), 1, 3}, {randn(3, 4), {2}}, "
                                 "{randn(3, 4)}, {randn(0, 2), 1}"};
};

struct Roll {
  static constexpr Decl decl{
      .name = "roll",
      .signature = "[res] x:tensor shift:int dim:dim?",
      .method = Method::returns,
      .dtypes = moved_dtypes,
      .doc =
          "A copy with the elements moved by `shift` positions along dim; those moved beyond the end continue at the start. Without dim, "
          "in row-major order of all elements.",
      .samples =
          "{randn(5), 2}, {randn(3, 4), -1, 1}, {randn(3, 4), 5, 2}, {randn(3, 4), 5}, {randn(2, 3, 4), 1, -2}, {randn(0, 2), 1, 1}"};
};
