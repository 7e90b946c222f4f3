// Sums and maxima of bags of rows: declarations. Included inside namespace mt by each device: no include guard.

struct BagSum {
  static constexpr Decl decl{
      .name = "bagSum",
      .signature = "[res] weight:tensor index:tensor average:boolean padding:int=0 offsets:tensor? factors:tensor?",
      .result = Rule::float_result,
      .method = Method::none,
      .ulp = 16,
      .doc =
          "Sums of bags of rows of weight (count, size), one bag per row of the result (bags, size). index has positions of rows, counted "
          "from 1: a bag is a row of a matrix (bags, length); or a vector has all bags, of which the one with number b begins at "
          "offsets[b] "
          "and ends before offsets[b + 1], the last one at the end. factors, of index's size, multiply the rows. With `average` sums are "
          "divided by the number of their rows. The row `padding` does not count. The sum of no rows is 0. Errors: positions outside of "
          "1..count, factors with `average`.",
      .samples =
          "{randn(5, 3), positions(5, {2, 4}), false}, {randn(5, 3), positions(5, {2, 4}), false, 0, nil, randn(2, 4)}, "
          "{randn(4, 17), positions(4, 9), false, 0, (positions(3, 3):sort())}, {randn(4, 2), positions(4, 7), true, 0, (positions(7, "
          "3):sort())}, "
          "{randn(4, 70), positions(4, {3, 5}), true, 2}, {randn(4, 2), positions(4, 5), false, 3, positions(1, 1), randn(5)}, "
          "{randn(3, 2), positions(3, {2, 150}), false}, {randn(3, 2), positions(1, {0, 2}), false}, {randn(3, 2), positions(1, {2, 0}), "
          "true}"};
};

struct BagSumGrad {
  static constexpr Decl decl{
      .name = "bagSum_grad",
      .signature = "[res] g:tensor size:sizes index:tensor average:boolean padding:int=0 offsets:tensor? factors:tensor?",
      .result = Rule::float_result,
      .method = Method::none,
      .ulp = 16,
      .doc =
          "The gradient of bagSum by its weight of the given size, from the gradient g by its result: zero except that each row of g is "
          "added, times its factor, at the positions of its bag.",
      .samples =
          "{randn(2, 3), {5, 3}, positions(5, {2, 4}), false}, {randn(2, 3), {5, 3}, positions(5, {2, 4}), false, 0, nil, randn(2, 4)}, "
          "{randn(3, 17), {4, 17}, positions(4, 9), false, 0, (positions(3, 3):sort())}, "
          "{randn(3, 2), {4, 2}, positions(4, 7), true, 1, (positions(7, 3):sort())}, {randn(0, 2), {3, 2}, positions(1, {0, 2}), false}"};
};

struct BagMax {
  static constexpr Decl decl{
      .name = "bagMax",
      .signature = "[res rows] weight:tensor index:tensor padding:int=0 offsets:tensor?",
      .result = Rule::float_result,
      .method = Method::none,
      .doc =
          "The largest elements of the columns of bags of rows, and the positions of their rows, which count from 1; arguments are those "
          "of "
          "bagSum. Of equal elements the first one counts, and NaN is larger than any number. Without rows the element and the position "
          "are 0.",
      .samples =
          "{randn(5, 3), positions(5, {2, 4})}, {randn(4, 17), positions(4, 9), 0, (positions(3, 3):sort())}, "
          "{randn(4, 2), positions(4, {3, 2}), 2}, {full(nan, 3, 2), positions(3, {2, 2})}, {randn(3, 2), positions(1, {2, 0})}"};
};

using BagOps = List<BagSum, BagSumGrad, BagMax>;
