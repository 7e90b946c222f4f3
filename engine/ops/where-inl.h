// Selection from two operands by a mask.

struct Where {
  static constexpr Decl decl{
      .name = "where",
      .signature = "[res] mask:tensor x:tensor|number y:tensor|number",
      .result = Rule::custom,
      .method = Method::none,
      .broadcasts = true,
      .doc =
          "x where mask is not 0, else y, elementwise and broadcast. Either or both may be numbers; a number takes the "
          "other's dtype, two numbers the default one.",
      .samples =
          "{mask(3, 4), randn(3, 4), randn(3, 4)}, {mask(3, 4), randn(1, 4), 0}, {mask(4), 1, randn(4)}, "
          "{mask(3, 1), randn(1, 4), randn(3, 1)}, {mask(5), 1, -1}"};
};
