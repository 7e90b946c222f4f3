// Smooth variants of the rectifier, and their gradients, each computed in one pass. Included once for each CPU instruction set: no include
// guard.

struct Gelu {
  static constexpr Decl decl{.name = "gelu",
                             .signature = "[res] x:tensor",
                             .result = Rule::float_result,
                             .method = Method::returns,
                             .ulp = 64,
                             .doc =
                                 "x times the distribution function of the standard normal distribution, x (1 + erf(x / sqrt 2)) / 2, "
                                 "elementwise. Source: Hendrycks & Gimpel (2016), \"Gaussian Error Linear Units\", arXiv:1606.08415.",
                             .samples = "{randn(3, 4)}, {full(20)}, {full(inf)}, {randn(0)}"};
  template <class V> MT_FN V operator()(V x) const {
    const auto tail = normal_tail(x);
    return greatest(V(0), x) - tail.times(tail.z * tail.ratio);
  }
};

struct GeluGrad {
  static constexpr Decl decl{
      .name = "gelu_grad",
      .signature = "[res] g:tensor x:tensor",
      .result = Rule::float_result,
      .method = Method::returns,
      .ulp = 64,
      .doc =
          "g (F(x) + x f(x)), f and F the density and the distribution function of the standard normal distribution: the gradient of gelu.",
      .samples = "{randn(3, 4), randn(3, 4)}, {randn(0), randn(0)}"};
  template <class V> MT_FN V operator()(V g, V x) const {
    const auto tail = normal_tail(x);
    const V part = tail.times(tail.ratio - tail.z * V(0.39894228040143268));
    return g * select(x < V(0), part, V(1) - part);
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
  template <class V> MT_FN V operator()(V x) const {
    const auto e = small_exp(x);
    return select(x < V(0), V(0) - e.times(e.a), x) / (V(1) + e.value());
  }
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
    const auto e = small_exp(x);
    const V larger = V(1) / (V(1) + e.value()), part = e.times(select(x < V(0), larger * (V(1) - e.a * larger), e.a * larger));
    return g * select(x < V(0), part, larger * (V(1) + part));
  }
};

using ActivationOps = List<Gelu, GeluGrad, Silu, SiluGrad>;
