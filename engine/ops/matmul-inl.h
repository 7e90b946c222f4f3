// Matrix products. Included inside namespace mt by the driver and by each device: no include guard. In all of them float16 and bfloat16 are
// summed in float32 and rounded once, integers wrap, operands may have any strides (transposes are not copied), and the result may be one
// of the operands.

struct Dot {
  static constexpr Decl decl{.name = "dot",
                             .signature = "[res] x:tensor y:tensor",
                             .method = Method::returns,
                             .scalar = true,
                             .dtypes = any_number_dtypes,
                             .ulp = 16,
                             .doc =
                                 "Sum of x[i] y[i] over all elements, paired in row-major order: any sizes, equal numbers of elements. A "
                                 "number; for float tensors rounded to float, as by BLAS.",
                             .samples = "{randn(5), randn(5)}, {randn(3, 4), randn(12)}, {randn(1000), randn(1000)}, {randn(0), randn(0)}",
                             .precision = Precision::widest};
  static void plan(Call& call);
};

struct Mv {
  static constexpr Decl decl{.name = "mv",
                             .signature = "[res] a:tensor x:tensor",
                             .dtypes = any_number_dtypes,
                             .ulp = 16,
                             .doc = "Matrix times vector: a (m, n), x (n) -> (m).",
                             .samples = "{randn(3, 4), randn(4)}, {randn(70, 90), randn(90)}, {randn(4, 1), randn(1)}",
                             .precision = Precision::low};
  static void plan(Call& call);
  static constexpr AccumulateFn accumulate = &accumulate_mv;
};

struct Mm {
  static constexpr Decl decl{
      .name = "mm",
      .signature = "[res] a:tensor b:tensor",
      .dtypes = any_number_dtypes,
      .ulp = 16,
      .doc = "Matrix product: a (m, k), b (k, n) -> (m, n).",
      .samples = "{randn(3, 4), randn(4, 5)}, {randn(2, 2), randn(2, 2)}, {randn(20, 30), randn(30, 10)}, {randn(1, 4), randn(4, 1)}",
      .precision = Precision::low};
  static void plan(Call& call);
  static constexpr AccumulateFn accumulate = &accumulate_mm;
};

struct Bmm {
  static constexpr Decl decl{
      .name = "bmm",
      .signature = "[res] a:tensor b:tensor",
      .dtypes = any_number_dtypes,
      .ulp = 16,
      .doc = "Matrix products of a batch: a (s, m, k), b (s, k, n) -> (s, m, n).",
      .samples = "{randn(3, 2, 4), randn(3, 4, 5)}, {randn(1, 3, 3), randn(1, 3, 3)}, {randn(7, 9, 8), randn(7, 8, 6)}",
      .precision = Precision::low};
  static void plan(Call& call);
};

struct Ger {
  static constexpr Decl decl{.name = "ger",
                             .signature = "[res] x:tensor y:tensor",
                             .dtypes = any_number_dtypes,
                             .doc = "Outer product: x (m), y (n) -> (m, n), where element (i, j) is x[i] y[j].",
                             .samples = "{randn(3), randn(4)}, {randn(1), randn(5)}",
                             .alias = "outer",
                             .precision = Precision::low};
  static void plan(Call& call);
  static constexpr AccumulateFn accumulate = &accumulate_ger;
};

// Torch7 puts the factors before the operands that they multiply, and in its short method form before both operands.
#undef MT_ADDED_FORMS
#define MT_ADDED_FORMS .forms = "m alpha a b | beta m alpha a b | beta m a b", .method_forms = "m beta alpha a b"

struct Addmv {
  static constexpr Decl decl{
      .name = "addmv",
      .signature = "[res] m:tensor a:tensor b:tensor beta:number=1 alpha:number=1",
      MT_ADDED_FORMS,
      .dtypes = any_number_dtypes,
      .ulp = 16,
      .doc = "beta m + alpha a b, a matrix times a vector: m (i), a (i, k), b (k) -> (i). With beta 0, m is not read.",
      .samples = "{randn(3), randn(3, 4), randn(4)}, {randn(3), 2, randn(3, 4), randn(4)}, {0.5, randn(3), 2, randn(3, 4), randn(4)}",
      .precision = Precision::low};
  static void plan(Call& call);
};

struct Addmm {
  static constexpr Decl decl{
      .name = "addmm",
      .signature = "[res] m:tensor a:tensor b:tensor beta:number=1 alpha:number=1",
      MT_ADDED_FORMS,
      .dtypes = any_number_dtypes,
      .ulp = 16,
      .doc = "beta m + alpha a b, a matrix product: a (i, k), b (k, j), m (i, j) or broadcast to it -> (i, j). With beta 0, m is not read.",
      .samples =
          "{randn(3, 5), randn(3, 4), randn(4, 5)}, {randn(3, 5), 2, randn(3, 4), randn(4, 5)}, "
          "{0.5, randn(3, 5), 2, randn(3, 4), randn(4, 5)}, {0, full(nan, 2, 2), 1, randn(2, 2), randn(2, 2)}, {randn(5), randn(3, 4), "
          "randn(4, 5)}",
      .precision = Precision::low};
  static void plan(Call& call);
};

struct Addr {
  static constexpr Decl decl{
      .name = "addr",
      .signature = "[res] m:tensor a:tensor b:tensor beta:number=1 alpha:number=1",
      MT_ADDED_FORMS,
      .dtypes = any_number_dtypes,
      .doc =
          "beta m + alpha times the outer product of a and b: a (i), b (j), m (i, j) or broadcast to it -> (i, j). With beta 0, m is not "
          "read.",
      .samples = "{randn(3, 4), randn(3), randn(4)}, {randn(3, 4), 2, randn(3), randn(4)}, {0.5, randn(3, 4), 2, randn(3), randn(4)}",
      .precision = Precision::low};
  static void plan(Call& call);
};

struct Baddbmm {
  static constexpr Decl decl{
      .name = "baddbmm",
      .signature = "[res] m:tensor a:tensor b:tensor beta:number=1 alpha:number=1",
      MT_ADDED_FORMS,
      .dtypes = any_number_dtypes,
      .ulp = 16,
      .doc =
          "beta m + alpha a b for each matrix of a batch: a (s, i, k), b (s, k, j), m (s, i, j) or broadcast to it -> (s, i, j). "
          "With beta 0, m is not read.",
      .samples = "{randn(2, 3, 5), randn(2, 3, 4), randn(2, 4, 5)}, {0.5, randn(2, 3, 5), 2, randn(2, 3, 4), randn(2, 4, 5)}",
      .precision = Precision::low};
  static void plan(Call& call);
};

struct Addbmm {
  static constexpr Decl decl{
      .name = "addbmm",
      .signature = "[res] m:tensor a:tensor b:tensor beta:number=1 alpha:number=1",
      MT_ADDED_FORMS,
      .dtypes = any_number_dtypes,
      .ulp = 16,
      .doc =
          "beta m + alpha times the sum of a batch's products: a (s, i, k), b (s, k, j), m (i, j) or broadcast to it -> (i, j). "
          "With beta 0, m is not read.",
      .samples = "{randn(3, 5), randn(2, 3, 4), randn(2, 4, 5)}, {0.5, randn(3, 5), 2, randn(2, 3, 4), randn(2, 4, 5)}",
      .precision = Precision::low};
  static void plan(Call& call);
};
#undef MT_ADDED_FORMS

struct Matmul {
  static constexpr Decl decl{
      .name = "matmul",
      .signature = "[res] a:tensor b:tensor",
      .method = Method::returns,
      .dtypes = any_number_dtypes,
      .ulp = 16,
      .doc =
          "NumPy's matmul: a (…, m, k), b (…, k, n) -> (…, m, n), with leading dimensions broadcast. A one-dimensional a counts as a row, "
          "b as a column, and that dimension is dropped from the result; the product of two vectors has size {1}.",
      .samples =
          "{randn(3, 4), randn(4, 5)}, {randn(4), randn(4)}, {randn(3, 4), randn(4)}, {randn(3), randn(3, 4)}, "
          "{randn(2, 3, 4), randn(4, 5)}, "
          "{randn(2, 1, 3, 4), randn(5, 4, 2)}, {randn(2, 3, 4), randn(4)}, {randn(3), randn(2, 3, 4)}",
      .precision = Precision::low};
  static void plan(Call& call);
  static constexpr AccumulateFn accumulate = &accumulate_mm;
};

struct Linear {
  static constexpr Decl decl{.name = "linear",
                             .signature = "[res] x:tensor weight:tensor bias:tensor?",
                             .method = Method::none,
                             .ulp = 16,
                             .doc = "x weight' + bias, a linear layer: x (…, in), weight (out, in), bias (out) -> (…, out).",
                             .samples =
                                 "{randn(3, 4), randn(5, 4), randn(5)}, {randn(3, 4), randn(5, 4)}, {randn(4), randn(5, 4), randn(5)}, "
                                 "{randn(2, 3, 4), randn(5, 4), randn(5)}, {randn(70, 40), randn(50, 40), randn(50)}",
                             .precision = Precision::low};
  static void plan(Call& call);
};

struct LinearWeightGrad {
  static constexpr Decl decl{
      .name = "linear_weight_grad",
      .signature = "[res] g:tensor x:tensor",
      .method = Method::none,
      .ulp = 16,
      .doc = "The gradient of linear by its weight: g (…, out), x (…, in) -> (out, in), the sum of all rows' outer products.",
      .samples = "{randn(3, 5), randn(3, 4)}, {randn(5), randn(4)}, {randn(2, 3, 5), randn(2, 3, 4)}, {randn(1, 2), randn(1, 3)}"};
  static void plan(Call& call);
  static constexpr AccumulateFn accumulate = &accumulate_linear_weight_grad;
};

struct LinearBiasGrad {
  static constexpr Decl decl{.name = "linear_bias_grad",
                             .signature = "[res] g:tensor",
                             .method = Method::none,
                             .ulp = 16,
                             .doc = "The gradient of linear by its bias: g (…, out) -> (out), the sum of all rows.",
                             .samples = "{randn(3, 5)}, {randn(5)}, {randn(2, 3, 5)}, {randn(1, 4)}, {randn(0, 3)}"};
  static void plan(Call& call);
  static constexpr AccumulateFn accumulate = &accumulate_linear_bias_grad;
};

using MatmulOps = List<Dot, Mv, Mm, Bmm, Ger, Addmv, Addmm, Addr, Baddbmm, Addbmm, Matmul, Linear, LinearWeightGrad, LinearBiasGrad>;
