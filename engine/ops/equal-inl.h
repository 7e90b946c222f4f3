// Equality of two tensors: declaration.

struct Equal {
  static constexpr Decl decl{
      .name = "equal",
      .signature = "[res] x:tensor y:tensor",
      .result = Rule::custom,
      .method = Method::returns,
      .scalar = true,
      .dtypes = all_dtypes,
      .differentiable = false,
      .doc =
          "Whether x and y have the same sizes and equal elements: a boolean. NaN equals nothing. dtypes may differ. A tensor without "
          "dimensions, Torch7's only empty one, equals every tensor without elements.",
      .samples =
          "{range(4), range(4)}, {randn(3, 4), randn(3, 4)}, {randn(3, 4), randn(12)}, {full(nan), full(nan)}, {randn(0), randn(0)}"};
};
