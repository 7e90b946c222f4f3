// Selection from two operands by a mask.

struct Where {
  static constexpr Decl decl{.name = "where",
                             .signature = "[res] mask:tensor x:tensor|number y:tensor|number",
                             .result = Rule::custom,
                             .method = Method::none,
                             .dtypes = moved_dtypes,
                             .broadcasts = true,
                             .doc =
                                 "x where mask is not 0, else y, elementwise and broadcast. x and y may be numbers: a number has the "
                                 "other's dtype, two numbers have the default dtype.",
                             .samples =
                                 "{mask(3, 4), randn(3, 4), randn(3, 4)}, {mask(3, 4), randn(1, 4), 0}, {mask(4), 1, randn(4)}, "
                                 "{mask(3, 1), randn(1, 4), randn(3, 1)}, {mask(5), 1, -1}"};
};
