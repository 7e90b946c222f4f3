// Smooth relatives of the rectifier, and their gradients as one pass each. Included once for each CPU instruction set:
// no include guard.

struct Gelu {
  static constexpr Decl decl{.name = "gelu",
                             .signature = "[res] x:tensor",
                             .result = Rule::float_result,
                             .method = Method::returns,
                             .ulp = 64,
                             .doc =
                                 "x times the normal distribution's function, x (1 + erf(x / sqrt 2)) / 2, elementwise. Source: Hendrycks "
                                 "& Gimpel (2016), \"Gaussian Error Linear Units\", arXiv:1606.08415.",
                             .samples = "{randn(3, 4)}, {full(20)}, {full(inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return x * V(0.5) * (V(1) + erf(x * V(0.70710678118654752))); }
};

struct GeluGrad {
  static constexpr Decl decl{.name = "gelu_grad",
                             .signature = "[res] g:tensor x:tensor",
                             .result = Rule::float_result,
                             .method = Method::returns,
                             .ulp = 64,
                             .doc = "g (F(x) + x f(x)), f and F the normal distribution's density and function: the gradient of gelu.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V g, V x) const {
    const V density = exp(x * x * V(-0.5)) * V(0.39894228040143268);
    return g * (V(0.5) * (V(1) + erf(x * V(0.70710678118654752))) + x * density);
  }
};

struct Silu {
  static constexpr Decl decl{.name = "silu",
                             .signature = "[res] x:tensor",
                             .result = Rule::float_result,
                             .method = Method::returns,
                             .ulp = 16,
                             .doc =
                                 "x sigmoid(x), elementwise. Source: Elfwing, Uchibe & Doya (2018), \"Sigmoid-weighted linear units\", "
                                 "Neural Networks 107.",
                             .samples = "{randn(3, 4)}, {full(100)}, {full(inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const { return x / (V(1) + exp(V(0) - x)); }
};

struct SiluGrad {
  static constexpr Decl decl{.name = "silu_grad",
                             .signature = "[res] g:tensor x:tensor",
                             .result = Rule::float_result,
                             .method = Method::returns,
                             .ulp = 64,
                             .doc = "g s (1 + x (1 - s)), s = sigmoid(x): the gradient of silu.",
                             .samples = "{randn(3, 4), randn(3, 4)}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V g, V x) const {
    const V s = V(1) / (V(1) + exp(V(0) - x));
    return g * s * (V(1) + x * (V(1) - s));
  }
};

using ActivationOps = List<Gelu, GeluGrad, Silu, SiluGrad>;
