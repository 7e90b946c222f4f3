// Random numbers: declarations. The streams are Torch7's: a draw is 32 bits of the Mersenne twister, tensors are filled in row-major order.
// A generator torch.Generator('philox'), and devices that draw by counter, have other streams (engine/ops/random.h). Each op accepts a
// torch.Generator first, else uses the state's. Without a tensor to fill, the distributions return a number.

struct Uniform {
  static constexpr Decl decl{.name = "uniform",
                             .signature = "[res] generator:generator? a:number=0 b:number=1",
                             .result = Rule::custom,
                             .scalar = true,
                             .dtypes = float_dtypes,
                             .differentiable = false,
                             .doc = "Uniform in [a, b): x:uniform(a, b) fills x, torch.uniform(a, b) is a number.",
                             .samples = "{}, {-1, 2}"};
};

struct Normal {
  static constexpr Decl decl{.name = "normal",
                             .signature = "[res] generator:generator? mean:number=0 std:number=1",
                             .result = Rule::custom,
                             .scalar = true,
                             .dtypes = float_dtypes,
                             .differentiable = false,
                             .doc =
                                 "Normal with a mean and a standard deviation above 0 (Box & Muller's pairs): x:normal(mean, std) fills x, "
                                 "torch.normal(mean, std) is a number.",
                             .samples = "{}, {1, 2}"};
};

struct Exponential {
  static constexpr Decl decl{
      .name = "exponential",
      .signature = "[res] generator:generator? lambda:number",
      .result = Rule::custom,
      .scalar = true,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc = "Exponential with rate lambda, above 0: x:exponential(lambda) fills x, torch.exponential(lambda) is a number.",
      .samples = "{2}"};
};

struct Cauchy {
  static constexpr Decl decl{
      .name = "cauchy",
      .signature = "[res] generator:generator? median:number=0 sigma:number=1",
      .result = Rule::custom,
      .scalar = true,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc = "Cauchy with a median and a scale: x:cauchy(median, sigma) fills x, torch.cauchy(median, sigma) is a number.",
      .samples = "{}, {1, 2}"};
};

struct LogNormal {
  static constexpr Decl decl{.name = "logNormal",
                             .signature = "[res] generator:generator? mean:number=1 std:number=2",
                             .result = Rule::custom,
                             .scalar = true,
                             .dtypes = float_dtypes,
                             .differentiable = false,
                             .doc =
                                 "exp of a normal with this mean and standard deviation above 0: x:logNormal(mean, std) fills x, "
                                 "torch.logNormal(mean, std) is a number.",
                             .samples = "{}, {1, 2}"};
};

struct Geometric {
  static constexpr Decl decl{
      .name = "geometric",
      .signature = "[res] generator:generator? p:number",
      .result = Rule::custom,
      .scalar = true,
      .dtypes = ordered_dtypes,
      .differentiable = false,
      .doc =
          "floor(log(1 - u) / log(p)) + 1 with u uniform in [0, 1), 0 < p < 1: x:geometric(p) fills x, torch.geometric(p) is a "
          "number.",
      .samples = "{0.25}"};
};

struct Bernoulli {
  static constexpr Decl decl{
      .name = "bernoulli",
      .signature = "[res] generator:generator? p:tensor|number=0.5",
      .result = Rule::custom,
      .scalar = true,
      .dtypes = ordered_dtypes,
      .differentiable = false,
      .doc =
          "1 with probability p, else 0: x:bernoulli(p) and torch.bernoulli(x, p) fill x, torch.bernoulli(p) is a number. p may be a float "
          "tensor with a probability for each element of x.",
      .samples = "{}, {0.25}"};
};

struct Random {
  static constexpr Decl decl{.name = "random",
                             .signature = "[res] generator:generator? a:number b:number",
                             .forms = "generator | generator b | generator a b",
                             .result = Rule::custom,
                             .scalar = true,
                             .dtypes = ordered_dtypes,
                             .differentiable = false,
                             .doc =
                                 "Integers from a (default 1) to b, as 32 random bits modulo their count (64 bits if there are more than "
                                 "2^32, or if they are drawn by counter); without bounds all 32 bits, or as many as the dtype holds: "
                                 "x:random(a, b) fills x, torch.random(a, b) is a number. Bounds are truncated.",
                             .samples = "{6}, {-3, 3}"};
};

struct Rand {
  static constexpr Decl decl{.name = "rand",
                             .signature = "[res] generator:generator? sizes:sizes dtype:dtype?",
                             .result = Rule::custom,
                             .dtypes = float_dtypes,
                             .differentiable = false,
                             .doc = "A tensor of these sizes, uniform in [0, 1); as a method it resizes and fills x.",
                             .samples = "{3, 4}, {5}"};
};

struct Randn {
  static constexpr Decl decl{
      .name = "randn",
      .signature = "[res] generator:generator? sizes:sizes dtype:dtype?",
      .result = Rule::custom,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc = "A tensor of these sizes, normal with mean 0 and standard deviation 1; as a method it resizes and fills x.",
      .samples = "{3, 4}, {5}"};
};

struct Randperm {
  static constexpr Decl decl{.name = "randperm",
                             .signature = "[res] generator:generator? n:int dtype:dtype?",
                             .result = Rule::custom,
                             .dtypes = ordered_dtypes,
                             .differentiable = false,
                             .doc = "A vector of the integers 1..n in random order.",
                             .samples = "{5}"};
};

struct Multinomial {
  static constexpr Decl decl{
      .name = "multinomial",
      .signature = "[res] p:tensor n:int replacement:boolean=false generator:generator?",
      .forms = "p n replacement | generator p n replacement",
      .result = Rule::index,
      .method = Method::returns,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "n categories drawn with the weights p (a vector, or a matrix with one distribution per row), which need not sum to 1: a "
          "LongTensor of n, or rows x n, positions. Without replacement a category is drawn at most once.",
      .samples = "{positive(4), 3}, {positive(2, 4), 6, true}"};
};
