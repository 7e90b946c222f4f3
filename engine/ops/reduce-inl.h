// Reductions of all elements, or along one dimension. Included once for each CPU instruction set: no include guard.
//
// A fold has four functions of vectors (V) or numbers: start() returns the accumulator of no elements, step() adds an element, merge()
// joins two accumulators, finish(), if present, computes the result from `count` elements. With `wide` it accumulates in double or int64,
// else in the element's type. p is a parameter of the call: a norm's power, or the mean that deviations are taken from. A fold with `tests`
// returns 0 or 1; SameLoops names a fold whose other three functions are equal for elements of S.

// How a device folds: into one accumulator; into products in the order of the elements; into an extremum and its position (two results, or
// the position alone); or into mean and squared deviations, from which each `Result` computes a result. Together<...> applies several
// reducers to the same elements; its results are those of the first reducer, then those of the next.
template <class F> struct Fold;
struct OrderedProduct;
template <class Order, bool with_values = true> struct Positions;
template <class... Result> struct Moments;
template <class... Variant> struct Together;
template <class V> MT_FN V lowest();
template <class V> MT_FN V highest();

struct SumFold {
  static constexpr bool wide = true, by_fours = false, tests = false;
  template <class V> MT_FN V start() const { return V(0); }
  template <class V> MT_FN V step(V acc, V x, V) const { return acc + x; }
  template <class V> MT_FN V merge(V a, V b) const { return a + b; }
};

// Adds four floats as floats before it adds them to the accumulator: converting each one would take twice the time. The error for terms of
// one sign is at most the rounding of the result.
struct QuickSumFold : SumFold {
  static constexpr bool by_fours = true;
  template <class S> using SameLoops = std::conditional_t<std::is_integral_v<S>, SumFold, QuickSumFold>;
};

struct MeanFold : QuickSumFold {
  template <class A> MT_FN A finish(A acc, const ReduceArgs& args) const { return acc / static_cast<A>(args.count); }
};

struct ProdFold {
  static constexpr bool wide = true, by_fours = false, tests = false;
  template <class V> MT_FN V start() const { return V(1); }
  template <class V> MT_FN V step(V acc, V x, V) const { return acc * x; }
  template <class V> MT_FN V merge(V a, V b) const { return a * b; }
};

// Torch7's products along a dimension: each product is rounded to the elements' type.
struct ProductFold : ProdFold {
  static constexpr bool wide = false;
};

// The result is NaN if any element is: x != x only for NaN.
struct MaxFold {
  static constexpr bool wide = false, by_fours = false, tests = false;
  template <class V> MT_FN V start() const { return lowest<V>(); }
  template <class V> MT_FN V step(V acc, V x, V) const { return select((x > acc) | (x != x), x, acc); }
  template <class V> MT_FN V merge(V a, V b) const { return step(a, b, a); }
};

struct MinFold {
  static constexpr bool wide = false, by_fours = false, tests = false;
  template <class V> MT_FN V start() const { return highest<V>(); }
  template <class V> MT_FN V step(V acc, V x, V) const { return select((x < acc) | (x != x), x, acc); }
  template <class V> MT_FN V merge(V a, V b) const { return step(a, b, a); }
};

struct AnyFold {
  static constexpr bool wide = false, by_fours = false, tests = true;
  template <class V> MT_FN V start() const { return V(0); }
  template <class V> MT_FN V step(V acc, V x, V) const { return select(x != V(0), V(1), acc); }
  template <class V> MT_FN V merge(V a, V b) const { return step(a, b, a); }
};

struct AllFold {
  static constexpr bool wide = false, by_fours = false, tests = true;
  template <class V> MT_FN V start() const { return V(1); }
  template <class V> MT_FN V step(V acc, V x, V) const { return select(x == V(0), V(0), acc); }
  template <class V> MT_FN V merge(V a, V b) const { return step(a, b, a); }
};

struct SquaresFold : SumFold {
  template <class V> MT_FN V step(V acc, V x, V) const { return acc + x * x; }
  template <class A> MT_FN A finish(A acc, const ReduceArgs&) const { return std::sqrt(acc); }
};

struct MagnitudesFold : SumFold {
  template <class V> MT_FN V step(V acc, V x, V) const { return acc + abs(x); }
};

struct PresentFold : SumFold {  // x != x only for NaN
  template <class S> using SameLoops = std::conditional_t<std::is_integral_v<S>, SumFold, PresentFold>;
  template <class V> MT_FN V step(V acc, V x, V) const { return acc + select(x != x, V(0), x); }
};

struct NonzerosFold : SumFold {
  template <class V> MT_FN V step(V acc, V x, V) const { return acc + select(x != V(0), V(1), V(0)); }
};

struct LargestFold : MaxFold {
  template <class V> MT_FN V start() const { return V(0); }
  template <class V> MT_FN V step(V acc, V x, V p) const { return MaxFold::step(acc, abs(x), p); }
};

struct SmallestFold : MinFold {
  template <class V> MT_FN V step(V acc, V x, V p) const { return MinFold::step(acc, abs(x), p); }
};

struct PowersFold : SumFold {
  template <class V> MT_FN V step(V acc, V x, V p) const { return acc + pow(abs(x), p); }
  template <class A> MT_FN A finish(A acc, const ReduceArgs& args) const { return std::pow(acc, 1 / args.p); }
};

struct DeviationsFold : SumFold {
  template <class V> MT_FN V step(V acc, V x, V p) const { return acc + (x - p) * (x - p); }
};

// Results of moments: `squares` is the sum of the squared deviations from the mean.
struct VarianceOf {
  MT_FN double operator()(double, double squares, const ReduceArgs& args) const {
    const auto divisor = static_cast<double>(args.biased ? args.count : args.count - 1);
    return args.count == 0 ? std::numeric_limits<double>::quiet_NaN() : squares / divisor;
  }
};
struct DeviationOf {
  MT_FN double operator()(double mean, double squares, const ReduceArgs& args) const {
    return std::sqrt(VarianceOf()(mean, squares, args));
  }
};
struct MeanOf {
  MT_FN double operator()(double mean, double, const ReduceArgs& args) const {
    return args.count == 0 ? std::numeric_limits<double>::quiet_NaN() : mean;
  }
};

// Whether x is more extreme than y; false for equal elements in both orders.
struct Larger {
  using Value = MaxFold;
  template <class V> MT_FN auto operator()(V x, V y) const { return x > y; }
};
struct Smaller {
  using Value = MinFold;
  template <class V> MT_FN auto operator()(V x, V y) const { return x < y; }
};

struct Sum {
  static constexpr PlanFn plan = &plan_sum;
  using Kernels = List<Fold<QuickSumFold>>;
  static constexpr Decl decl{
      .name = "sum",
      .signature = "[res] x:tensor dim:dim?",
      .method = Method::returns,
      .scalar = true,
      .dtypes = arithmetic_dtypes,
      .ulp = 2,
      .doc =
          "Sum of all elements, a number; or along dim, or a list of dimensions, which stay with size 1. Floats are added by fours, then "
          "in double. Integers: the sum of all elements is an exact int64; along dimensions it has their dtype and wraps, as in Torch7 "
          "(sum(x:long(), dim) does not). Without elements: 0.",
      .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(inf)}, {randn(0)}, {randn(0, 3), 1}",
      .precision = Precision::float32};
};

struct Nansum {
  static constexpr PlanFn plan = &plan_sum;
  using Kernels = List<Fold<PresentFold>>;
  static constexpr Decl decl{
      .name = "nansum",
      .signature = "[res] x:tensor dim:dim?",
      .method = Method::returns,
      .scalar = true,
      .dtypes = ordered_dtypes,
      .ulp = 2,
      .doc = "Like sum, but NaN counts as 0.",
      .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(2, 3, 4), -2}, {full(nan, 2, 3), 1}, {full(nan)}, {randn(0)}",
      .precision = Precision::float32};
};

struct Prod {
  static constexpr PlanFn plan = &plan_prod;
  using Kernels = List<Fold<ProdFold>, OrderedProduct>;
  static constexpr Decl decl{
      .name = "prod",
      .signature = "[res] x:tensor dim:dim?",
      .method = Method::returns,
      .scalar = true,
      .dtypes = arithmetic_dtypes,
      .doc =
          "Product of all elements, a number; or along dim, or a list of dimensions, which stay with size 1. Types as in sum. Along a "
          "dimension floats and doubles are multiplied strictly in order, each product rounded, as by cmul slice after slice. Without "
          "elements: 1.",
      .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {randn(0)}, {randn(0, 3), 1}",
      .precision = Precision::float32};
};

struct Mean {
  static constexpr PlanFn plan = &plan_mean;
  using Kernels = List<Fold<MeanFold>>;
  static constexpr Decl decl{.name = "mean",
                             .signature = "[res] x:tensor dim:dim?",
                             .result = Rule::float_result,
                             .method = Method::returns,
                             .scalar = true,
                             .dtypes = arithmetic_dtypes,
                             .ulp = 2,
                             .doc =
                                 "Mean of all elements, a number; or along dim, or a list of dimensions, which stay with size 1. "
                                 "Accumulates in double. Without elements: an error; along a dimension without elements: NaN.",
                             .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {randn(0, 3), 1}",
                             .precision = Precision::float32};
};

struct Max {
  static constexpr PlanFn plan = &plan_extremum;
  using Kernels = List<Fold<MaxFold>, Positions<Larger>>;
  static constexpr Decl decl{
      .name = "max",
      .signature = "[values indices] x:tensor dim:dim?",
      .method = Method::returns,
      .scalar = true,
      .dtypes = ordered_dtypes,
      .extent = Extent::alike,
      .doc =
          "Largest element, a number; or the largest along dim, which stays with size 1, and their positions from 1 as a LongTensor: the "
          "first one on ties (along a list of dimensions without positions). NaN is larger than all. Without elements: an error.",
      .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(nan)}, {full(-inf), 1}"};
};

struct Min {
  static constexpr PlanFn plan = &plan_extremum;
  using Kernels = List<Fold<MinFold>, Positions<Smaller>>;
  static constexpr Decl decl{
      .name = "min",
      .signature = "[values indices] x:tensor dim:dim?",
      .method = Method::returns,
      .scalar = true,
      .dtypes = ordered_dtypes,
      .extent = Extent::alike,
      .doc =
          "Smallest element, a number; or the smallest along dim, which stays with size 1, and their positions from 1 as a LongTensor: the "
          "first one on ties (along a list of dimensions without positions). NaN is smaller than all. Without elements: an error.",
      .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(nan)}, {full(inf), 1}"};
};

struct Aminmax {
  static constexpr PlanFn plan = &plan_extrema;
  using Kernels = List<Together<Fold<MinFold>, Fold<MaxFold>>>;
  static constexpr Decl decl{
      .name = "aminmax",
      .signature = "[min max] x:tensor dim:dim?",
      .method = Method::returns,
      .scalar = true,
      .dtypes = ordered_dtypes,
      .extent = Extent::alike,
      .doc =
          "Smallest and largest element, two numbers; or those along dim, or a list of dimensions, which stay with size 1. The elements "
          "are read once. Equal extrema share the gradient. If there is a NaN, both are NaN. Without elements: an error.",
      .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(nan)}, {full(inf), 1}"};
};

struct Argmax {
  static constexpr PlanFn plan = &plan_position;
  using Kernels = List<Positions<Larger, false>>;
  static constexpr Decl decl{.name = "argmax",
                             .signature = "[res] x:tensor dim:dim?",
                             .result = Rule::index,
                             .method = Method::returns,
                             .scalar = true,
                             .dtypes = ordered_dtypes,
                             .differentiable = false,
                             .doc =
                                 "Position of the largest element, from 1: of all in row-major order, a number; or along dim, which stays "
                                 "with size 1, a LongTensor. The first one on ties; NaN is larger than all. Without elements: an error.",
                             .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(nan)}"};
};

struct Argmin {
  static constexpr PlanFn plan = &plan_position;
  using Kernels = List<Positions<Smaller, false>>;
  static constexpr Decl decl{.name = "argmin",
                             .signature = "[res] x:tensor dim:dim?",
                             .result = Rule::index,
                             .method = Method::returns,
                             .scalar = true,
                             .dtypes = ordered_dtypes,
                             .differentiable = false,
                             .doc =
                                 "Position of the smallest element, from 1: of all in row-major order, a number; or along dim, which stays "
                                 "with size 1, a LongTensor. The first one on ties; NaN is smaller than all. Without elements: an error.",
                             .samples = "{randn(3, 4)}, {randn(3, 4), 1}, {randn(3, 4), 2}, {randn(2, 3, 4), -2}, {full(nan)}"};
};

struct Norm {
  static constexpr PlanFn plan = &plan_norm;
  using Kernels =
      List<Fold<SquaresFold>, Fold<MagnitudesFold>, Fold<NonzerosFold>, Fold<LargestFold>, Fold<SmallestFold>, Fold<PowersFold>>;
  static constexpr Decl decl{
      .name = "norm",
      .signature = "[res] x:tensor p:number=2 dim:dim?",
      .result = Rule::float_result,
      .method = Method::returns,
      .scalar = true,
      .dtypes = arithmetic_dtypes,
      .ulp = 16,
      .doc =
          "p-norm of all elements, (sum |x|^p)^(1/p), a number; or along dim, or a list of dimensions, which stay with size 1. p = 0 "
          "counts the elements that are not 0; p = inf is the largest magnitude, p = -inf the smallest. With a negative p the norm is 0 if "
          "an element is 0. Accumulates in double. Of complex numbers: real, from their magnitudes. A p of NaN is an error.",
      .samples =
          "{nonzero(3, 4)}, {nonzero(3, 4), 1}, {nonzero(3, 4), 3}, {randn(3, 4), 0}, {randn(3, 4), inf}, "
          "{nonzero(3, 4), 2, 1}, {nonzero(3, 4), 1.5, 2}, {randn(3, 4), inf, -1}, {randn(0)}, {nonzero(3, 4), -1}, "
          "{nonzero(3, 4), -2.5, 2}, {randn(3, 4), -inf}, {randn(3, 4), -inf, 1}, {full(0, 2, 2), -1}",
      .precision = Precision::float32};
};

struct Var {
  static constexpr PlanFn plan = &plan_variance;
  using Kernels = List<Moments<VarianceOf>>;
  static constexpr Decl decl{
      .name = "var",
      .signature = "[res] x:tensor dim:dim? biased:boolean=false",
      .forms = "x dim biased | x biased",
      .result = Rule::float_result,
      .method = Method::returns,
      .scalar = true,
      .dtypes = arithmetic_dtypes,
      .ulp = 8,
      .doc =
          "Variance of all elements, a number; or along dim, or a list of dimensions, which stay with size 1: the sum of squared "
          "deviations from the mean over n - 1, or over n when biased. Two passes in double, chunks joined as in Chan, Golub & LeVeque "
          "(1979). Of complex numbers: real, from the magnitudes of the deviations. Of one element: NaN, or 0 if biased; without elements: "
          "an error.",
      .samples = "{randn(3, 4)}, {randn(3, 4), true}, {randn(3, 4), 1}, {randn(3, 4), 2, true}, {randn(2, 3, 4), -2}",
      .precision = Precision::float32};
};

struct Std {
  static constexpr PlanFn plan = &plan_variance;
  using Kernels = List<Moments<DeviationOf>>;
  static constexpr Decl decl{
      .name = "std",
      .signature = "[res] x:tensor dim:dim? biased:boolean=false",
      .forms = "x dim biased | x biased",
      .result = Rule::float_result,
      .method = Method::returns,
      .scalar = true,
      .dtypes = arithmetic_dtypes,
      .ulp = 8,
      .doc = "Standard deviation: the square root of var, with the same arguments.",
      .samples = "{randn(3, 4)}, {randn(3, 4), true}, {randn(3, 4), 1}, {randn(3, 4), 2, true}, {randn(2, 3, 4), -2}",
      .precision = Precision::float32};
};

struct VarMean {
  static constexpr PlanFn plan = &plan_variance;
  using Kernels = List<Moments<VarianceOf, MeanOf>>;
  static constexpr Decl decl{
      .name = "varMean",
      .signature = "[variance mean] x:tensor dim:dim? biased:boolean=false",
      .forms = "x dim biased | x biased",
      .result = Rule::float_result,
      .method = Method::returns,
      .scalar = true,
      .dtypes = arithmetic_dtypes,
      .extent = Extent::alike,
      .ulp = 8,
      .doc =
          "Variance and mean of all elements, two numbers; or along dim, or a list of dimensions, which stay with size 1: the same values "
          "as of var and mean, at the cost of var.",
      .samples = "{randn(3, 4)}, {randn(3, 4), true}, {randn(3, 4), 1}, {randn(3, 4), 2, true}, {randn(2, 3, 4), -2}, {randn(0, 3), 1}",
      .precision = Precision::float32};
};

struct StdMean {
  static constexpr PlanFn plan = &plan_variance;
  using Kernels = List<Moments<DeviationOf, MeanOf>>;
  static constexpr Decl decl{
      .name = "stdMean",
      .signature = "[deviation mean] x:tensor dim:dim? biased:boolean=false",
      .forms = "x dim biased | x biased",
      .result = Rule::float_result,
      .method = Method::returns,
      .scalar = true,
      .dtypes = arithmetic_dtypes,
      .extent = Extent::alike,
      .ulp = 8,
      .doc = "Standard deviation and mean: the square root of varMean's first result, and its second, with the same arguments.",
      .samples = "{randn(3, 4)}, {randn(3, 4), true}, {randn(3, 4), 1}, {randn(3, 4), 2, true}, {randn(2, 3, 4), -2}, {randn(0, 3), 1}",
      .precision = Precision::float32};
};

struct Any {
  static constexpr PlanFn plan = &plan_test;
  using Kernels = List<Fold<AnyFold>>;
  static constexpr Decl decl{.name = "any",
                             .signature = "[res] x:tensor dim:dim?",
                             .result = Rule::mask,
                             .method = Method::returns,
                             .scalar = true,
                             .dtypes = ordered_dtypes,
                             .differentiable = false,
                             .doc =
                                 "Whether some element isn't 0: a boolean; or along dim, or a list of dimensions, which stay with size 1, "
                                 "a ByteTensor of 0 and 1. Without elements: false.",
                             .samples = "{randn(3, 4)}, {full(0)}, {randn(3, 4), 1}, {full(nan), 1}, {randn(0)}"};
};

struct All {
  static constexpr PlanFn plan = &plan_test;
  using Kernels = List<Fold<AllFold>>;
  static constexpr Decl decl{.name = "all",
                             .signature = "[res] x:tensor dim:dim?",
                             .result = Rule::mask,
                             .method = Method::returns,
                             .scalar = true,
                             .dtypes = ordered_dtypes,
                             .differentiable = false,
                             .doc =
                                 "Whether no element is 0: a boolean; or along dim, or a list of dimensions, which stay with size 1, a "
                                 "ByteTensor of 0 and 1. Without elements: true.",
                             .samples = "{randn(3, 4)}, {full(0)}, {randn(3, 4), 1}, {full(nan), 1}, {randn(0)}"};
};

// Groups, so that each can be compiled separately.
using SumOps = List<Sum, Nansum, Prod, Mean>;
using ExtremumOps = List<Max, Min, Aminmax, Argmax, Argmin>;
using NormOps = List<Norm, Var, Std, VarMean, StdMean>;
using TestOps = List<Any, All>;
