// Equally spaced numbers: declarations. As methods these ops write into their tensor.

struct Range {
  static constexpr Decl decl{.name = "range",
                             .signature = "[res] first:number last:number step:number=1 dtype:dtype?",
                             .result = Rule::custom,
                             .differentiable = false,
                             .doc =
                                 "The vector first, first + step, ... up to and including last. An out argument with the same number of "
                                 "elements keeps its sizes. Raises an error if step is 0 or has the wrong sign.",
                             .samples = "{1, 5}, {0, 1, 0.25}, {5, 1, -2}, {1, 4, 1, 'torch.LongTensor'}"};
};

struct Arange {
  static constexpr Decl decl{
      .name = "arange",
      .signature = "[res] first:number=0 last:number step:number=1 dtype:dtype?",
      .forms = "last dtype | first last dtype | first last step dtype",
      .result = Rule::custom,
      .differentiable = false,
      .doc = "The vector first, first + step, ... of the values before last: arange(3) is 0, 1, 2. Empty if there is none.",
      .samples = "{5}, {2, 5}, {0, 1, 0.25}, {5, 0, -2}, {3, 'torch.IntTensor'}"};
};

struct Linspace {
  static constexpr Decl decl{.name = "linspace",
                             .signature = "[res] first:number last:number n:int=100 dtype:dtype?",
                             .result = Rule::custom,
                             .differentiable = false,
                             .doc =
                                 "The vector of n equally spaced values from first to last, both included; n = 1 needs first == last. An "
                                 "out argument with the same number of elements keeps its sizes.",
                             .samples = "{0, 1, 5}, {3, -3, 7}, {2, 2, 1}"};
};

struct Logspace {
  static constexpr Decl decl{.name = "logspace",
                             .signature = "[res] first:number last:number n:int=100 dtype:dtype?",
                             .result = Rule::custom,
                             .differentiable = false,
                             .doc = "10 to the power of linspace(first, last, n).",
                             .samples = "{0, 2, 3}, {-1, 1, 5}"};
};
