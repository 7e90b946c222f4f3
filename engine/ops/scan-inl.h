// Running sums and products. Included once for each CPU instruction set: no include guard.

struct Cumsum {
  static constexpr Decl decl{
      .name = "cumsum",
      .signature = "[res] x:tensor dim:dim=first",
      .method = Method::returns,
      .ulp = 4,
      .doc = "Running sum along dim: y[i] = x[1] + ... + x[i]. Sizes and dtype of x; floats accumulate in double, integers wrap.",
      .samples = "{randn(5)}, {randn(3, 4)}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(inf)}, {randn(0)}, {randn(0, 3), 2}"};
  static constexpr double start = 0;
  template <class V> MT_FN V operator()(V acc, V x) const { return acc + x; }
};

struct Cumprod {
  static constexpr Decl decl{
      .name = "cumprod",
      .signature = "[res] x:tensor dim:dim=first",
      .method = Method::returns,
      .ulp = 4,
      .doc = "Running product along dim: y[i] = x[1] * ... * x[i]. Sizes and dtype of x; floats accumulate in double, integers wrap.",
      .samples = "{randn(5)}, {randn(3, 4)}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(inf)}, {randn(0)}, {randn(0, 3), 2}"};
  static constexpr double start = 1;
  template <class V> MT_FN V operator()(V acc, V x) const { return acc * x; }
};

using ScanOps = List<Cumsum, Cumprod>;
