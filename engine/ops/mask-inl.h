// Selecting and writing by masks: declarations. Masks are ByteTensors of 0 and 1 or BoolTensors.

struct MaskedSelect {
  static constexpr Decl decl{.name = "maskedSelect",
                             .signature = "[res] x:tensor mask:tensor",
                             .method = Method::returns,
                             .dtypes = moved_dtypes,
                             .data_dependent = true,
                             .doc =
                                 "A vector of the elements of x where mask is 1, in row-major order; if there is none, a tensor without "
                                 "dimensions. The mask has as many elements as x, or broadcasts to its sizes.",
                             .samples = "{randn(3, 4), mask(3, 4)}, {randn(3, 4), mask(4)}, {randn(5), mask(5)}"};
};

struct MaskedFill {
  static constexpr Decl decl{
      .name = "maskedFill",
      .signature = "[res] x:tensor mask:tensor value:number",
      .dtypes = moved_dtypes,
      .doc = "Sets the elements of x where mask is 1 to a number. The mask has as many elements as x, or broadcasts to its sizes.",
      .samples = "{randn(3, 4), mask(3, 4), 2.5}, {randn(3, 4), mask(4), -1}"};
};

struct MaskedCopy {
  static constexpr Decl decl{
      .name = "maskedCopy",
      .signature = "[res] x:tensor mask:tensor source:tensor",
      .dtypes = moved_dtypes,
      .doc = "Writes the first elements of source, one after another, where mask is 1 in x; source must have enough.",
      .samples = "{randn(3, 4), mask(3, 4), randn(12)}, {randn(5), mask(5), randn(5)}",
      .precision = Precision::widest};
};

struct Nonzero {
  static constexpr Decl decl{.name = "nonzero",
                             .signature = "[res] x:tensor",
                             .result = Rule::index,
                             .method = Method::returns,
                             .dtypes = moved_dtypes,
                             .data_dependent = true,
                             .differentiable = false,
                             .doc =
                                 "The positions of elements other than 0: a LongTensor with a row for each element and a column for each "
                                 "dimension of x; if there is none, a tensor without dimensions.",
                             .samples = "{mask(3, 4)}, {randn(5)}, {mask(2, 3, 2)}"};
};
