// Counting and finding values: declarations.

struct Histc {
  static constexpr Decl decl{
      .name = "histc",
      .signature = "[res] x:tensor bins:int=100 min:number=0 max:number=0",
      .result = Rule::float_result,
      .method = Method::returns,
      .differentiable = false,
      .doc =
          "How many elements lie in each of `bins` equal parts of min..max: a vector. max itself belongs to the last part, what lies "
          "outside "
          "isn't counted. Where min = max, the smallest and the largest element are taken for them (and 1 less and more, where they are "
          "equal, too).",
      .samples = "{randn(50), 5}, {randn(6, 7), 4, -1, 1}, {full(2), 3}, {range(9), 3}, {randn(3, 4)}, {randn(0), 2, 0, 1}",
      .precision = Precision::float32};
};

struct Bhistc {
  static constexpr Decl decl{
      .name = "bhistc",
      .signature = "[res] x:tensor bins:int=100 min:number=0 max:number=0",
      .result = Rule::float_result,
      .method = Method::returns,
      .differentiable = false,
      .doc = "histc of each row of a matrix: x (rows, n) -> (rows, bins). Bounds as there, those of all rows where none are given.",
      .samples = "{randn(2, 20), 5}, {randn(3, 7), 4, -1, 1}, {randn(2, 1), 2}, {randn(0, 3), 2}",
      .precision = Precision::float32};
};

struct Bincount {
  static constexpr Decl decl{
      .name = "bincount",
      .signature = "[res] x:tensor minLength:int weights:tensor?",
      .forms = "x | x minLength weights",
      .result = Rule::custom,
      .method = Method::returns,
      .data_dependent = true,
      .doc =
          "How often each whole number from 1 to the largest occurs among the integers x: a LongTensor, with zeros up to minLength. With "
          "weights, as many as elements of x, their sums: a tensor of their dtype, the float that holds it if that is an integer.",
      .samples =
          "{positions(5, 9)}, {positions(4, {3, 4}), 8}, {positions(5, 5), 0, randn(5)}, {positions(4, 6), 7, randn(2, 3)}, {positions(1, "
          "0), 2}"};
};

struct Searchsorted {
  static constexpr Decl decl{
      .name = "searchsorted",
      .signature = "[res] sorted:tensor x:tensor|number right:boolean=false",
      .result = Rule::index,
      .method = Method::returns,
      .differentiable = false,
      .doc =
          "Where elements of x would go into an ascending vector: the first position, from 1, whose element is not below it (with `right`: "
          "is above it), or the size + 1. Sizes of x. With more dimensions rows along the last one are searched: sorted (…, n), x (…, m). "
          "NaN counts as larger than all.",
      .samples =
          "{range(5), randn(7)}, {range(5), randn(2, 3), true}, {range(4), 2.5}, {range(4), 3, true}, "
          "{constant(1, 2, 3), randn(2, 4)}, {randn(0), randn(3)}"};
};

using HistogramOps = List<Histc, Bhistc, Bincount, Searchsorted>;
