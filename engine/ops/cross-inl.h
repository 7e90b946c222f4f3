// The cross product: declaration.

struct Cross {
  static constexpr Decl decl{
      .name = "cross",
      .signature = "[res] a:tensor b:tensor dim:dim?",
      .method = Method::returns,
      .dtypes = any_number_dtypes,
      .ulp = 8,
      .doc =
          "The cross product of a and b along a dimension of size 3, by default the first one. Equal sizes. Integers wrap; complex "
          "numbers are not conjugated.",
      .samples = "{randn(3), randn(3)}, {randn(4, 3), randn(4, 3)}, {randn(3, 3), randn(3, 3), 2}, {randn(2, 3, 4), randn(2, 3, 4), -2}",
      .precision = Precision::widest};
};

using CrossOps = List<Cross>;
