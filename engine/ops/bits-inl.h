// Shifts and bitwise operations. Included once for each CPU instruction set: no include guard.
// The functions that they call on each lane are in engine/cpu/bits.cpp.

struct Lshift {
  static constexpr Decl decl{.name = "lshift",
                             .signature = "[res] x:tensor y:tensor|number",
                             .ulp = 2,
                             .doc =
                                 "x shifted left by y bits, elementwise and broadcast: floats are multiplied by 2^y. Integers lose the "
                                 "bits that don't fit; a shift "
                                 "by their width or more, or by less than 0, gives 0.",
                             .samples = "{randn(3, 4), 2}, {randn(3, 4), positive(3, 4)}, {randn(3, 1), positive(1, 4)}, {randn(0), 1}",
                             .alias = "clshift"};
  template <class V> MT_FN V operator()(V x, V y) const { return lshift(x, y); }
};

struct Rshift {
  static constexpr Decl decl{
      .name = "rshift",
      .signature = "[res] x:tensor y:tensor|number",
      .ulp = 2,
      .doc =
          "x shifted right by y bits, elementwise and broadcast: floats are divided by 2^y. Integers count as unsigned: zeros are shifted "
          "in from the left; a shift by their width or more, or by less than 0, gives 0.",
      .samples = "{positive(3, 4), 2}, {positive(3, 4), positive(3, 4)}, {positive(3, 1), positive(1, 4)}, {randn(0), 1}",
      .alias = "crshift"};
  template <class V> MT_FN V operator()(V x, V y) const { return rshift(x, y); }
};

#undef MT_BITWISE
#define MT_BITWISE(Name, word, alias_word, op, text)                                                                          \
  struct Name {                                                                                                               \
    static constexpr Decl decl{                                                                                               \
        .name = word,                                                                                                         \
        .signature = "[res] x:tensor y:tensor|number",                                                                        \
        .dtypes = integer_dtypes,                                                                                             \
        .differentiable = false,                                                                                              \
        .doc = "Bitwise " text " of integers, elementwise and broadcast. A number is taken as the tensor's dtype holds it.",  \
        .samples = "{randn(3, 4), randn(3, 4)}, {randn(3, 1), randn(1, 4)}, {randn(5), 6}, {randn(3, 4), -2}, {randn(0), 1}", \
        .alias = alias_word};                                                                                                 \
    template <class V> MT_FN V operator()(V x, V y) const { return V(static_cast<typename V::Element>(x.v op y.v)); }         \
  };

MT_BITWISE(BitAnd, "bitand", "cbitand", &, "and")
MT_BITWISE(BitOr, "bitor", "cbitor", |, "or")
MT_BITWISE(BitXor, "bitxor", "cbitxor", ^, "exclusive or")

using BitOps = List<Lshift, Rshift, BitAnd, BitOr, BitXor>;
