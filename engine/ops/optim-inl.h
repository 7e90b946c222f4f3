// Updates by optimisation algorithms, element by element. Included once for each CPU instruction set: no include guard.

struct SgdStep {
  static constexpr Decl decl{
      .name = "sgd_step",
      .signature =
          "parameters:tensors gradients:tensors buffers:tensors rate:number momentum:number=0 dampening:number=0 weight_decay:number=0 "
          "nesterov:boolean=false",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of stochastic gradient descent on all parameters, in place. With g = gradient + weight_decay x: with momentum buffer = "
          "momentum buffer + (1 - dampening) g, and g = buffer or, with nesterov, g + momentum buffer; x = x - rate g. The lists have "
          "equal lengths, and corresponding tensors equal sizes and types; without momentum, buffers may be empty. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {}, 0.1}, {{randn(5)}, {randn(5)}, {randn(5)}, 0.1, 0.9, 0.1, 0.01, true}"};
  template <class V> MT_FN void operator()(V& x, V g, V& buffer, V rate, V momentum, V kept, V decay, bool nesterov) const {
    g = g + decay * x;
    buffer = momentum * buffer + kept * g;
    x = x - rate * (nesterov ? g + momentum * buffer : buffer);
  }
  template <class V> MT_FN void operator()(V& x, V g, V rate, V decay) const { x = x - rate * (g + decay * x); }
};

struct AdamStep {
  static constexpr Decl decl{
      .name = "adam_step",
      .signature =
          "parameters:tensors gradients:tensors means:tensors squares:tensors rate:number beta1:number=0.9 beta2:number=0.999 "
          "epsilon:number=1e-8 weight_decay:number=0",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of Adam on all parameters, in place. With g = gradient + weight_decay x: mean = beta1 mean + (1 - beta1) g, square = "
          "beta2 square + (1 - beta2) g^2, x = x - rate mean / (sqrt(square) + epsilon); rate includes the bias correction. The lists have "
          "equal lengths, and corresponding tensors equal sizes and types. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}, 0.1}, "
          "{{randn(5)}, {randn(5)}, {randn(5)}, {positive(5)}, 0.1, 0.8, 0.9, 1e-3, 0.01}"};
  template <class V> MT_FN void operator()(V& x, V g, V& m, V& v, V rate, V beta1, V rest1, V beta2, V rest2, V epsilon, V decay) const {
    g = g + decay * x;
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * (g * g);
    x = x - rate * (m / (sqrt(v) + epsilon));
  }
};

struct Unscale {
  static constexpr Decl decl{.name = "unscale",
                             .signature = "gradients:tensors found:tensor factor:number",
                             .method = Method::none,
                             .dtypes = float_dtypes,
                             .differentiable = false,
                             .doc =
                                 "Multiplies all gradients of a list by a factor, in place. If an element is infinite or NaN, sets "
                                 "`found`, a tensor of one element, to 1; otherwise does not change it. One pass, for which the host need "
                                 "not wait. The gradients may differ in size and type. Nothing is recorded.",
                             .samples =
                                 "{{randn(3, 4), randn(5)}, full(0, 1), 0.5}, {{randn(3), full(inf, 5), randn(3)}, full(0, 1), 0.25}, "
                                 "{{full(nan, 3)}, full(0, 1), 1}, "
                                 "{{randn(0)}, full(1, 1), 2}"};
  // `seen` stays 0 while all elements are finite, else becomes NaN.
  template <class V> MT_FN void operator()(V& x, V& seen, V factor) const {
    seen = seen + x * V(0);
    x = x * factor;
  }
};

using OptimOps = List<SgdStep, AdamStep, Unscale>;
