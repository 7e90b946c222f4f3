// Elementwise comparisons, and tests of floats. Included once for each CPU instruction set: no include guard. The functor of a comparison
// returns a mask, which is stored as bytes of 0 and 1.

#undef MT_COMPARISON
#define MT_COMPARISON(Name, word, op, set, text)                                                                               \
  struct Name {                                                                                                                \
    static constexpr Decl decl{                                                                                                \
        .name = word,                                                                                                          \
        .signature = "[res] x:tensor y:tensor|number",                                                                         \
        .result = Rule::mask,                                                                                                  \
        .method = Method::returns,                                                                                             \
        .dtypes = set,                                                                                                         \
        .differentiable = false,                                                                                               \
        .doc = "Whether " text ", elementwise and broadcast: a ByteTensor of 0 and 1 (or an out argument's dtype).",           \
        .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 1), randn(1, 4)}, {randn(5), 0.25}, {full(nan), 1}, {randn(0), 1}"}; \
    template <class V> MT_FN auto operator()(V x, V y) const { return x op y; }                                                \
  };

MT_COMPARISON(Lt, "lt", <, compared_dtypes, "x < y")
MT_COMPARISON(Le, "le", <=, compared_dtypes, "x <= y")
MT_COMPARISON(Gt, "gt", >, compared_dtypes, "x > y")
MT_COMPARISON(Ge, "ge", >=, compared_dtypes, "x >= y")
MT_COMPARISON(Eq, "eq", ==, all_dtypes, "x == y")
MT_COMPARISON(Ne, "ne", !=, all_dtypes, "x ~= y")

template <class V> MT_FN auto is_infinite(V x) { return (x == x) & (x - x != V(0)); }

struct IsNan {
  static constexpr Decl decl{.name = "isnan",
                             .signature = "[res] x:tensor",
                             .result = Rule::mask,
                             .method = Method::returns,
                             .dtypes = all_dtypes,
                             .differentiable = false,
                             .doc = "Whether x is NaN, elementwise: a ByteTensor of 0 and 1.",
                             .samples = "{randn(3, 4)}, {full(nan)}, {full(inf)}, {randn(0)}"};
  template <class V> MT_FN auto operator()(V x) const { return x != x; }
};

struct IsFinite {
  static constexpr Decl decl{.name = "isfinite",
                             .signature = "[res] x:tensor",
                             .result = Rule::mask,
                             .method = Method::returns,
                             .dtypes = all_dtypes,
                             .differentiable = false,
                             .doc = "Whether x is neither infinite nor NaN, elementwise: a ByteTensor of 0 and 1.",
                             .samples = "{randn(3, 4)}, {full(nan)}, {full(-inf)}, {randn(0)}"};
  template <class V> MT_FN auto operator()(V x) const { return x - x == V(0); }
};

struct IsInf {
  static constexpr Decl decl{.name = "isinf",
                             .signature = "[res] x:tensor",
                             .result = Rule::mask,
                             .method = Method::returns,
                             .dtypes = all_dtypes,
                             .differentiable = false,
                             .doc = "Whether x is infinite, of either sign, elementwise: a ByteTensor of 0 and 1.",
                             .samples = "{randn(3, 4)}, {full(nan)}, {full(inf)}, {full(-inf)}, {randn(0)}"};
  template <class V> MT_FN auto operator()(V x) const { return is_infinite(x); }
};

using CompareOps = List<Lt, Le, Gt, Ge, Eq, Ne, IsNan, IsFinite, IsInf>;
