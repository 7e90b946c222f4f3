// Creation and filling: declarations. As methods these ops write into their tensor, which is resized to the requested sizes.

struct Zeros {
  static constexpr Decl decl{.name = "zeros",
                             .signature = "[res] sizes:sizes dtype:dtype?",
                             .result = Rule::custom,
                             .dtypes = moved_dtypes,
                             .differentiable = false,
                             .doc =
                                 "A tensor of zeros: zeros(2, 3), zeros({2, 3}), zeros(storage). The dtype, a string such as "
                                 "'torch.IntTensor', is by default the default type's.",
                             .samples = "{3, 4}, {0, 2}, {5, 'torch.FloatTensor'}"};
};

struct Ones {
  static constexpr Decl decl{.name = "ones",
                             .signature = "[res] sizes:sizes dtype:dtype?",
                             .result = Rule::custom,
                             .dtypes = moved_dtypes,
                             .differentiable = false,
                             .doc = "A tensor of ones; sizes and dtype as for zeros.",
                             .samples = "{3, 4}, {0, 2}, {5, 'torch.IntTensor'}"};
};

struct Full {
  static constexpr Decl decl{.name = "full",
                             .signature = "[res] sizes:sizes value:number dtype:dtype?",
                             .result = Rule::custom,
                             .dtypes = moved_dtypes,
                             .differentiable = false,
                             .doc = "A tensor of one value: full({2, 3}, 0.5). The sizes are a table or a LongStorage.",
                             .samples = "{{3, 4}, 2.5}, {{2}, -7, 'torch.IntTensor'}"};
};

struct Empty {
  static constexpr Decl decl{.name = "empty",
                             .signature = "[res] sizes:sizes dtype:dtype?",
                             .result = Rule::custom,
                             .dtypes = moved_dtypes,
                             .differentiable = false,
                             .doc = "A tensor with uninitialised elements; sizes and dtype as for zeros.",
                             .samples = "{3, 4}, {0, 2}, {5, 'torch.IntTensor'}"};
};

struct Eye {
  static constexpr Decl decl{.name = "eye",
                             .signature = "[res] n:int m:int? dtype:dtype?",
                             .result = Rule::custom,
                             .dtypes = any_number_dtypes,
                             .differentiable = false,
                             .doc = "The matrix of n rows and m (or n) columns with ones on its diagonal and zeros elsewhere.",
                             .samples = "{3}, {3, 4}, {4, 2, 'torch.LongTensor'}"};
};

struct Fill {
  static constexpr Decl decl{.name = "fill",
                             .signature = "[res] x:tensor value:number",
                             .method = Method::always_in_place,
                             .dtypes = moved_dtypes,
                             .doc = "Sets every element of x to a number; torch.fill(x, value) too. BoolTensors take true and false, too.",
                             .samples = "{randn(3, 4), 2.5}, {randn(0), 1}"};
};

struct Zero {
  static constexpr Decl decl{.name = "zero",
                             .signature = "[res] x:tensor",
                             .method = Method::always_in_place,
                             .dtypes = moved_dtypes,
                             .doc = "Sets every element of x to 0; torch.zero(x) too.",
                             .samples = "{randn(3, 4)}, {randn(0)}"};
};

struct Copy {
  static constexpr Decl decl{
      .name = "copy",
      .signature = "[res] x:tensor source:tensor",
      .passes_over = true,
      .dtypes = moved_dtypes,
      .broadcasts = true,
      .crosses_devices = true,
      .doc =
          "x:copy(source) writes source's elements, converted to x's dtype, into x. With equal numbers of elements the sizes may differ: "
          "elements are paired in row-major order. Otherwise source is broadcast to x's sizes. Both may share memory.",
      .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 4), randn(12)}, {randn(3, 4), randn(4)}"};
};
