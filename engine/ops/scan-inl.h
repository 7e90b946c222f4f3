// Scans along a dimension. Included once for each CPU instruction set: no include guard.
//
// The Scan of an op defines how it scans: a fold of numbers (V) whose every accumulator is a result; the extremum so far and its position;
// a pair of accumulators.

template <class F> struct Running;
template <class Order> struct RunningExtremum;
struct RunningLogSum;

struct Cumsum {
  using Scan = Running<Cumsum>;
  static constexpr Decl decl{
      .name = "cumsum",
      .signature = "[res] x:tensor dim:dim=first",
      .method = Method::returns,
      .dtypes = any_number_dtypes,
      .ulp = 4,
      .doc = "Running sum along dim: y[i] = x[1] + ... + x[i]. Sizes and dtype of x; floats accumulate in double, integers wrap.",
      .samples = "{randn(5)}, {randn(3, 4)}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(inf)}, {randn(0)}, {randn(0, 3), 2}",
      .precision = Precision::float32};
  static constexpr double start = 0;
  template <class V> MT_FN V operator()(V acc, V x) const { return acc + x; }
};

struct Cumprod {
  using Scan = Running<Cumprod>;
  static constexpr Decl decl{
      .name = "cumprod",
      .signature = "[res] x:tensor dim:dim=first",
      .method = Method::returns,
      .dtypes = any_number_dtypes,
      .ulp = 4,
      .doc = "Running product along dim: y[i] = x[1] * ... * x[i]. Sizes and dtype of x; floats accumulate in double, integers wrap.",
      .samples = "{randn(5)}, {randn(3, 4)}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(inf)}, {randn(0)}, {randn(0, 3), 2}",
      .precision = Precision::float32};
  static constexpr double start = 1;
  template <class V> MT_FN V operator()(V acc, V x) const { return acc * x; }
};

// Whether x replaces the extremum so far: equal elements do, and NaN does, which numbers don't replace. x != x only for NaN.
struct NotBelow {
  template <class V> MT_FN auto operator()(V x, V best) const { return (x >= best) | (x != x); }
};
struct NotAbove {
  template <class V> MT_FN auto operator()(V x, V best) const { return (x <= best) | (x != x); }
};

struct Cummax {
  using Scan = RunningExtremum<NotBelow>;
  static constexpr Decl decl{
      .name = "cummax",
      .signature = "[values indices] x:tensor dim:dim=first",
      .method = Method::returns,
      .doc =
          "Largest element so far along dim, and its position from 1, a LongTensor: the last one on ties. Sizes of x. NaN is larger than "
          "all.",
      .samples =
          "{randn(5)}, {randn(3, 4)}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(2)}, {full(nan)}, {full(-inf), 1}, {randn(0)}, "
          "{randn(0, 3), 2}"};
};

struct Cummin {
  using Scan = RunningExtremum<NotAbove>;
  static constexpr Decl decl{
      .name = "cummin",
      .signature = "[values indices] x:tensor dim:dim=first",
      .method = Method::returns,
      .doc =
          "Smallest element so far along dim, and its position from 1, a LongTensor: the last one on ties. Sizes of x. NaN is smaller than "
          "all.",
      .samples =
          "{randn(5)}, {randn(3, 4)}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(2)}, {full(nan)}, {full(inf), 1}, {randn(0)}, "
          "{randn(0, 3), 2}"};
};

struct LogCumSumExp {
  using Scan = RunningLogSum;
  static constexpr Decl decl{
      .name = "logcumsumexp",
      .signature = "[res] x:tensor dim:dim=first",
      .result = Rule::float_result,
      .method = Method::returns,
      .ulp = 16,
      .doc =
          "log(exp(x[1]) + ... + exp(x[i])) along dim, without overflow: the logarithm of a running sum of exponentials. Sizes of x. Sums "
          "are scaled by the largest element so far, in double. After an inf the results are inf, after a NaN NaN; of only -inf they are "
          "-inf.",
      .samples =
          "{randn(5)}, {randn(3, 4)}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(1e3)}, {full(-1e3)}, {full(inf)}, {full(-inf)}, "
          "{full(nan)}, {randn(0)}, {randn(0, 3), 2}",
      .precision = Precision::float32};
};

struct LogCumSumExpGrad {
  static constexpr Decl decl{
      .name = "logcumsumexp_grad",
      .signature = "[res] g:tensor x:tensor y:tensor dim:dim=first transposed:boolean=false",
      .result = Rule::float_result,
      .method = Method::returns,
      .ulp = 16,
      .doc =
          "Sum of g[i] exp(x[j] - y[i]) over i >= j along dim: the gradient of logcumsumexp from its argument x, its output y and the "
          "gradient g by that output, of equal sizes. Transposed: sum of g[i] exp(x[i] - y[j]) over i <= j. The exponential of an x of "
          "-inf is 0, and it is 1 if x equals y, infinite or not. No exponential overflows if y does not decrease along dim, and x is not "
          "above it.",
      .samples =
          "{randn(5), randn(5), randn(5)}, {randn(3, 4), randn(3, 4), randn(3, 4), 2}, {randn(2, 3, 4), randn(2, 3, 4), "
          "randn(2, 3, 4), -2, true}, {full(1), full(1e3), full(1e3)}, {full(1), full(-inf), full(-inf), 1, true}, "
          "{randn(0), randn(0), randn(0)}"};
};

using ScanOps = List<Cumsum, Cumprod, Cummax, Cummin, LogCumSumExp>;
