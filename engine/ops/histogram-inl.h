// Counting and finding values: declarations.

struct Histc {
  static constexpr Decl decl{
      .name = "histc",
      .signature = "[res] x:tensor bins:int=100 min:number=0 max:number=0",
      .result = Rule::float_result,
      .method = Method::returns,
      .differentiable = false,
      .doc =
          "The numbers of elements in `bins` equal parts of min..max: a vector. max belongs to the last part; elements outside do not "
          "count. If min = max, the bounds are the smallest and the largest element, and if these are equal, 1 less and 1 more.",
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
      .doc = "histc of each row of a matrix: x (rows, n) -> (rows, bins). Bounds as for histc; by default those of all rows together.",
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
          "The frequency of each integer from 1 to the largest in x: a LongTensor, with zeros up to minLength. With weights, one for each "
          "element of x, sums of weights: a tensor of their dtype, or, for integers, of the float dtype that holds it.",
      .samples =
          "{positions(5, 9)}, {positions(4, {3, 4}), 8}, {positions(5, 5), 0, randn(5)}, {positions(4, 6), 7, randn(2, 3)}, {positions(1, "
          "0), 2}"};
};

struct Searchsorted {
  static constexpr Decl decl{.name = "searchsorted",
                             .signature = "[res] sorted:tensor x:tensor|number right:boolean=false",
                             .result = Rule::index,
                             .method = Method::returns,
                             .differentiable = false,
                             .doc =
                                 "The positions at which elements of x would be inserted into an ascending vector: from 1, the first "
                                 "position whose element is not less (with `right`: is greater), or the size + 1. Sizes of x. With more "
                                 "dimensions, searches rows along the last one: sorted (…, n), x (…, m). NaN is larger than all.",
                             .samples =
                                 "{range(5), randn(7)}, {range(5), randn(2, 3), true}, {range(4), 2.5}, {range(4), 3, true}, "
                                 "{constant(1, 2, 3), randn(2, 4)}, {randn(0), randn(3)}"};
};

using HistogramOps = List<Histc, Bhistc, Bincount, Searchsorted>;
