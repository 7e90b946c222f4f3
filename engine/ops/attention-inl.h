// Scaled dot-product attention: declarations. Included inside namespace mt by each device: no include guard.

struct ScaledDotProductAttention {
  static constexpr Decl decl{
      .name = "scaledDotProductAttention",
      .signature = "[res logsum] query:tensor key:tensor value:tensor mask:tensor? causal:boolean=false scale:number?",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 256,
      .doc =
          "softmax(scale query key' + mask) value, without the matrix of scores in memory: query (…, L, E), key (…, S, E), value (…, S, V) "
          "-> (…, L, V), and the logarithm of each row's sum of exponentials (…, L). Dimension -3 of the query, its heads, may be a "
          "multiple "
          "of that of key and value: each of their heads then serves adjacent heads of the query. scale defaults to 1 / sqrt(E). A mask of "
          "floats, of sizes that broadcast to (…, L, S), is added to the scores; in a mask of another dtype 0 excludes a key. causal: "
          "query "
          "i excludes keys behind i. A query without keys gives zeros. Source: Vaswani et al. (2017), \"Attention Is All You Need\", NIPS; "
          "in blocks: Dao et al. (2022), \"FlashAttention\", NeurIPS. Errors: sizes that don't fit, other dtypes of key and value.",
      .samples =
          "{randn(3, 4), randn(5, 4), randn(5, 2)}, {randn(2, 1, 67, 2), randn(2, 1, 3, 2), randn(2, 1, 3, 17)}, "
          "{randn(4, 3, 2), randn(2, 140, 2), randn(2, 140, 1), randn(3, 140), false, 0.3}, "
          "{randn(2, 3, 4), randn(2, 5, 4), randn(2, 5, 3), mask(2, 3, 5)}, {randn(67, 3), randn(67, 3), randn(67, 3), nil, true}, "
          "{randn(150, 2), randn(140, 2), randn(140, 1), nil, true}, {randn(3, 4), randn(5, 4), randn(5, 2), full(-inf, 3, 1)}, "
          "{randn(2, 1, 2, 3, 4), randn(2, 1, 1, 5, 4), randn(2, 1, 1, 5, 2), mask(2, 1, 1, 1, 5), true}, "
          "{randn(3, 4), randn(0, 4), randn(0, 2)}",
      .precision = Precision::low};
};

struct ScaledDotProductAttentionGrad {
  static constexpr Decl decl{
      .name = "scaledDotProductAttention_grad",
      .signature =
          "[queryGrad keyGrad valueGrad] g:tensor query:tensor key:tensor value:tensor res:tensor logsum:tensor mask:tensor? "
          "causal:boolean=false scale:number?",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .ulp = 1024,
      .doc =
          "The gradients of scaledDotProductAttention by query, key and value, from the gradient g by its first result and both results; "
          "the "
          "scores are computed again, in blocks. It has no derivative: for higher derivatives the tape computes the gradients by other "
          "ops. "
          "Source: Dao et al. (2022), \"FlashAttention\", NeurIPS, algorithm 4.",
      .samples =
          "{randn(3, 2), randn(3, 4), randn(5, 4), randn(5, 2), randn(3, 2), full(2, 3)}, "
          "{randn(4, 3, 1), randn(4, 3, 2), randn(2, 140, 2), randn(2, 140, 1), randn(4, 3, 1), full(6, 4, 3), randn(3, 140), "
          "false, 0.3}, "
          "{randn(67, 3), randn(67, 3), randn(67, 3), randn(67, 3), randn(67, 3), full(4, 67), nil, true}"};
};
