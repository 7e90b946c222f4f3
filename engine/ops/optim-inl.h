// Steps of optimisation algorithms, element by element. Included once for each CPU instruction set: no include guard.
//
// A functor updates the arrays of a parameter at one position: at[0] is the parameter, at[1] its gradient, and the states follow. Bit k of
// `changed` is set if array k is written. r has the numbers of the plan, in the order of the functor's enumerators.

struct PlainSgd {
  static constexpr int arrays = 2, numbers = 2;
  static constexpr uint32_t changed = 0b01;
  enum : int { rate, decay };
  template <class V> MT_FN void operator()(V* at, const V* r) const { at[0] = at[0] - r[rate] * (at[1] + r[decay] * at[0]); }
};

template <bool nesterov> struct MomentumSgd {
  static constexpr int arrays = 3, numbers = 4;
  static constexpr uint32_t changed = 0b101;
  enum : int { rate, decay, momentum, kept };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    const V g = at[1] + r[decay] * at[0];
    at[2] = r[momentum] * at[2] + r[kept] * g;
    at[0] = at[0] - r[rate] * (nesterov ? g + r[momentum] * at[2] : at[2]);
  }
};

struct SgdStep {
  using Functors = List<PlainSgd, MomentumSgd<false>, MomentumSgd<true>>;
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
          "equal lengths, and corresponding tensors equal sizes and types; without momentum, buffers may be empty. A list of states, here "
          "buffers, may also have a single tensor: the states of all parameters, one after the other. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {}, 0.1}, {{randn(5)}, {randn(5)}, {randn(5)}, 0.1, 0.9, 0.1, 0.01, true}, "
          "{{randn(2), randn(1, 3)}, {randn(2), randn(1, 3)}, {randn(5)}, 0.1, 0.9}"};
};

// The running means of Adam and its relatives: at[2] of the gradient, at[3] of its square.
struct AdamMeans {
  enum : int { beta1, rest1, beta2, rest2, decay, scale, own };
  template <class V> static MT_FN V update(V* at, const V* r) {
    const V g = at[1] + r[decay] * at[0];
    at[2] = r[beta1] * at[2] + r[rest1] * g;
    at[3] = r[beta2] * at[3] + r[rest2] * (g * g);
    at[0] = at[0] * r[scale];
    return g;
  }
};

struct Adam : AdamMeans {
  static constexpr int arrays = 4, numbers = own + 2;
  static constexpr uint32_t changed = 0b1101;
  enum : int { rate = own, epsilon };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    update(at, r);
    at[0] = at[0] - r[rate] * (at[2] / (sqrt(at[3]) + r[epsilon]));
  }
};

struct AdamStep {
  using Functors = List<Adam>;
  static constexpr Decl decl{
      .name = "adam_step",
      .signature =
          "parameters:tensors gradients:tensors means:tensors squares:tensors rate:number beta1:number=0.9 beta2:number=0.999 "
          "epsilon:number=1e-8 weight_decay:number=0 scale:number=1",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of Adam on all parameters, in place. With g = gradient + weight_decay x: mean = beta1 mean + (1 - beta1) g, square = "
          "beta2 square + (1 - beta2) g^2, x = scale x - rate mean / (sqrt(square) + epsilon); rate includes the bias correction, and "
          "scale "
          "is the decay of AdamW. The lists are as those of sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}, 0.1}, "
          "{{randn(5)}, {randn(5)}, {randn(5)}, {positive(5)}, 0.1, 0.8, 0.9, 1e-3, 0.01, 0.9}, "
          "{{randn(2), randn(3)}, {randn(2), randn(3)}, {randn(5)}, {positive(5)}, 0.1}"};
};

struct Amsgrad : AdamMeans {
  static constexpr int arrays = 5, numbers = own + 2;
  static constexpr uint32_t changed = 0b11101;
  enum : int { rate = own, epsilon };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    update(at, r);
    at[4] = select(at[4] > at[3], at[4], at[3]);
    at[0] = at[0] - r[rate] * (at[2] / (sqrt(at[4]) + r[epsilon]));
  }
};

struct AmsgradStep {
  using Functors = List<Amsgrad>;
  static constexpr Decl decl{
      .name = "amsgrad_step",
      .signature =
          "parameters:tensors gradients:tensors means:tensors squares:tensors largest:tensors rate:number beta1:number=0.9 "
          "beta2:number=0.999 epsilon:number=1e-8 weight_decay:number=0 scale:number=1",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of AMSGrad: that of adam_step, with largest = max(largest, square) instead of square below the root. The lists are as "
          "those of sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}, {positive(3, 4), "
          "positive(5)}, 0.1}, {{randn(5)}, {randn(5)}, {randn(5)}, {positive(5)}, {positive(5)}, 0.1, 0.8, 0.9, 1e-3, 0.01, 0.9}"};
};

struct Nadam : AdamMeans {
  static constexpr int arrays = 4, numbers = own + 4;
  static constexpr uint32_t changed = 0b1101;
  enum : int { gradient_rate = own, mean_rate, correction, epsilon };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    const V g = update(at, r);
    at[0] = at[0] - (r[gradient_rate] * g + r[mean_rate] * at[2]) / (sqrt(at[3] / r[correction]) + r[epsilon]);
  }
};

struct NadamStep {
  using Functors = List<Nadam>;
  static constexpr Decl decl{
      .name = "nadam_step",
      .signature =
          "parameters:tensors gradients:tensors means:tensors squares:tensors gradient_rate:number mean_rate:number correction:number=1 "
          "beta1:number=0.9 beta2:number=0.999 epsilon:number=1e-8 weight_decay:number=0 scale:number=1",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of NAdam on all parameters, in place: mean and square as adam_step's, x = scale x - (gradient_rate g + mean_rate mean) "
          "/ (sqrt(square / correction) + epsilon). The lists are as those of sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}, 0.1, 0.2, 0.5}, "
          "{{randn(5)}, {randn(5)}, {randn(5)}, {positive(5)}, 0.1, 0.2, 0.7, 0.8, 0.9, 1e-3, 0.01, 0.9}"};
};

template <bool adaptive> struct Radam : AdamMeans {
  static constexpr int arrays = 4, numbers = own + 2;
  static constexpr uint32_t changed = 0b1101;
  enum : int { rate = own, epsilon };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    update(at, r);
    at[0] = at[0] - r[rate] * (adaptive ? at[2] / (sqrt(at[3]) + r[epsilon]) : at[2]);
  }
};

struct RadamStep {
  using Functors = List<Radam<false>, Radam<true>>;
  static constexpr Decl decl{
      .name = "radam_step",
      .signature =
          "parameters:tensors gradients:tensors means:tensors squares:tensors rate:number adaptive:boolean beta1:number=0.9 "
          "beta2:number=0.999 epsilon:number=1e-8 weight_decay:number=0 scale:number=1",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of RAdam on all parameters, in place: that of adam_step if it is adaptive, else x = scale x - rate mean. The lists are "
          "as those of sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}, 0.1, true}, "
          "{{randn(5)}, {randn(5)}, {randn(5)}, {positive(5)}, 0.1, false, 0.8, 0.9, 1e-3, 0.01, 0.9}"};
};

struct Adamax {
  static constexpr int arrays = 4, numbers = 6;
  static constexpr uint32_t changed = 0b1101;
  enum : int { rate, beta1, rest1, beta2, epsilon, decay };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    const V g = at[1] + r[decay] * at[0], size = abs(g) + r[epsilon], former = r[beta2] * at[3];
    at[2] = r[beta1] * at[2] + r[rest1] * g;
    at[3] = select(former > size, former, size);
    at[0] = at[0] - r[rate] * (at[2] / at[3]);
  }
};

struct AdamaxStep {
  using Functors = List<Adamax>;
  static constexpr Decl decl{
      .name = "adamax_step",
      .signature =
          "parameters:tensors gradients:tensors means:tensors largest:tensors rate:number beta1:number=0.9 beta2:number=0.999 "
          "epsilon:number=1e-8 weight_decay:number=0",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of Adamax on all parameters, in place. With g = gradient + weight_decay x: mean = beta1 mean + (1 - beta1) g, largest "
          "= "
          "max(beta2 largest, |g| + epsilon), x = x - rate mean / largest. The lists are as those of sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}, 0.1}, "
          "{{randn(5)}, {randn(5)}, {randn(5)}, {positive(5)}, 0.1, 0.8, 0.9, 1e-3, 0.01}"};
};

// at[2] is the mean of squares. With `centered` the mean of gradients follows, with `momentum` the buffer.
template <bool centered, bool momentum> struct Rmsprop {
  static constexpr int arrays = 3 + centered + momentum, numbers = 6;
  static constexpr uint32_t changed = 0b11101 & ((1u << arrays) - 1);
  enum : int { rate, alpha, rest, epsilon, decay, kept };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    const V g = at[1] + r[decay] * at[0];
    at[2] = r[alpha] * at[2] + r[rest] * (g * g);
    V variance = at[2];
    if constexpr (centered) {
      at[3] = r[alpha] * at[3] + r[rest] * g;
      variance = variance - at[3] * at[3];
    }
    V direction = g / (sqrt(variance) + r[epsilon]);
    if constexpr (momentum) {
      constexpr int buffer = arrays - 1;
      direction = at[buffer] = r[kept] * at[buffer] + direction;
    }
    at[0] = at[0] - r[rate] * direction;
  }
};

struct RmspropStep {
  using Functors = List<Rmsprop<false, false>, Rmsprop<true, false>, Rmsprop<false, true>, Rmsprop<true, true>>;
  static constexpr Decl decl{
      .name = "rmsprop_step",
      .signature =
          "parameters:tensors gradients:tensors squares:tensors means:tensors buffers:tensors rate:number alpha:number=0.99 "
          "epsilon:number=1e-8 weight_decay:number=0 momentum:number=0 centered:boolean=false",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of RMSprop on all parameters, in place. With g = gradient + weight_decay x: square = alpha square + (1 - alpha) g^2; "
          "if "
          "centered, mean = alpha mean + (1 - alpha) g, and d = g / (sqrt(square - mean^2) + epsilon), else d = g / (sqrt(square) + "
          "epsilon); with momentum, d = buffer = momentum buffer + d; x = x - rate d. Unused lists may be empty; the lists are as those of "
          "sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}, {}, {}, 0.1}, "
          "{{randn(5)}, {randn(5)}, {positive(5)}, {}, {randn(5)}, 0.1, 0.9, 1e-3, 0.01, 0.8}, "
          "{{randn(5)}, {randn(5)}, {full(9, 5)}, {randn(5)}, {}, 0.1, 0.9, 1e-3, 0.01, 0, true}, "
          "{{randn(5)}, {randn(5)}, {full(9, 5)}, {randn(5)}, {randn(5)}, 0.1, 0.9, 1e-3, 0.01, 0.8, true}"};
};

struct Adagrad {
  static constexpr int arrays = 3, numbers = 3;
  static constexpr uint32_t changed = 0b101;
  enum : int { rate, epsilon, decay };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    const V g = at[1] + r[decay] * at[0];
    at[2] = at[2] + g * g;
    at[0] = at[0] - r[rate] * (g / (sqrt(at[2]) + r[epsilon]));
  }
};

struct AdagradStep {
  using Functors = List<Adagrad>;
  static constexpr Decl decl{
      .name = "adagrad_step",
      .signature = "parameters:tensors gradients:tensors squares:tensors rate:number epsilon:number=1e-10 weight_decay:number=0",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of Adagrad on all parameters, in place. With g = gradient + weight_decay x: square = square + g^2, x = x - rate g / "
          "(sqrt(square) + epsilon). The lists are as those of sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}, 0.1}, "
          "{{randn(5)}, {randn(5)}, {positive(5)}, 0.1, 1e-3, 0.01}"};
};

struct Adadelta {
  static constexpr int arrays = 4, numbers = 5;
  static constexpr uint32_t changed = 0b1101;
  enum : int { rate, rho, rest, epsilon, decay };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    const V g = at[1] + r[decay] * at[0];
    at[2] = r[rho] * at[2] + r[rest] * (g * g);
    const V delta = sqrt(at[3] + r[epsilon]) / sqrt(at[2] + r[epsilon]) * g;
    at[0] = at[0] - r[rate] * delta;
    at[3] = r[rho] * at[3] + r[rest] * (delta * delta);
  }
};

struct AdadeltaStep {
  using Functors = List<Adadelta>;
  static constexpr Decl decl{
      .name = "adadelta_step",
      .signature =
          "parameters:tensors gradients:tensors squares:tensors deltas:tensors rate:number=1 rho:number=0.9 epsilon:number=1e-6 "
          "weight_decay:number=0",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of Adadelta on all parameters, in place. With g = gradient + weight_decay x: square = rho square + (1 - rho) g^2, d = "
          "sqrt(delta + epsilon) / sqrt(square + epsilon) g, x = x - rate d, delta = rho delta + (1 - rho) d^2. The lists are as those of "
          "sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}, {positive(3, 4), positive(5)}}, "
          "{{randn(5)}, {randn(5)}, {positive(5)}, {positive(5)}, 0.1, 0.8, 1e-3, 0.01}"};
};

struct Lion {
  static constexpr int arrays = 3, numbers = 6;
  static constexpr uint32_t changed = 0b101;
  enum : int { rate, beta1, rest1, beta2, rest2, scale };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    const V direction = r[beta1] * at[2] + r[rest1] * at[1];
    const V sign = select(direction > V(0), V(1), select(direction < V(0), V(-1), V(0)));
    at[0] = r[scale] * at[0] - r[rate] * sign;
    at[2] = r[beta2] * at[2] + r[rest2] * at[1];
  }
};

struct LionStep {
  using Functors = List<Lion>;
  static constexpr Decl decl{
      .name = "lion_step",
      .signature = "parameters:tensors gradients:tensors means:tensors rate:number beta1:number=0.9 beta2:number=0.99 scale:number=1",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of Lion on all parameters, in place: x = scale x - rate sign(beta1 mean + (1 - beta1) gradient), then mean = beta2 "
          "mean "
          "+ (1 - beta2) gradient. The lists are as those of sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, 0.1}, "
          "{{randn(5)}, {randn(5)}, {randn(5)}, 0.1, 0.8, 0.7, 0.9}"};
};

struct Asgd {
  static constexpr int arrays = 3, numbers = 4;
  static constexpr uint32_t changed = 0b101;
  enum : int { rate, scale, weight, decay };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    at[0] = r[scale] * at[0] - r[rate] * (at[1] + r[decay] * at[0]);
    at[2] = select(r[weight] == V(1), at[0], at[2] + r[weight] * (at[0] - at[2]));
  }
};

struct AsgdStep {
  using Functors = List<Asgd>;
  static constexpr Decl decl{
      .name = "asgd_step",
      .signature = "parameters:tensors gradients:tensors averages:tensors rate:number scale:number=1 weight:number=1 weight_decay:number=0",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of averaged stochastic gradient descent on all parameters, in place: x = scale x - rate (gradient + weight_decay x), "
          "then average = average + weight (x - average). The lists are as those of sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, 0.1}, "
          "{{randn(5)}, {randn(5)}, {randn(5)}, 0.1, 0.9, 0.25, 0.01}"};
};

struct Rprop {
  static constexpr int arrays = 4, numbers = 4;
  static constexpr uint32_t changed = 0b1101;
  enum : int { etaplus, etaminus, least, most };
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    const V agreement = at[1] * at[2];
    const auto turned = agreement < V(0);
    V size = at[3] * select(agreement > V(0), r[etaplus], select(turned, r[etaminus], V(1)));
    size = select(size < r[least], r[least], select(size > r[most], r[most], size));
    const V g = select(turned, V(0), at[1]);
    at[0] = at[0] - select(g > V(0), size, select(g < V(0), V(0) - size, V(0)));
    at[2] = g;
    at[3] = size;
  }
};

struct RpropStep {
  using Functors = List<Rprop>;
  static constexpr Decl decl{
      .name = "rprop_step",
      .signature =
          "parameters:tensors gradients:tensors previous:tensors sizes:tensors etaplus:number=1.2 etaminus:number=0.5 "
          "least:number=1e-6 most:number=50",
      .method = Method::none,
      .dtypes = float_dtypes,
      .differentiable = false,
      .doc =
          "One step of Rprop on all parameters, in place. With s the sign of gradient times previous: size = size times etaplus, etaminus "
          "or 1, where s is 1, -1 or 0, within least and most; previous = gradient, or 0 where s is -1; x = x - size sign(previous). The "
          "lists are as those of sgd_step. Nothing is recorded.",
      .samples =
          "{{randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {randn(3, 4), randn(5)}, {positive(3, 4), positive(5)}}, "
          "{{randn(5)}, {randn(5)}, {randn(5)}, {positive(5)}, 3, 0.1, 0.5, 0.75}"};
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

// Of gradients alone: at[1] is the same array.
struct Limit {
  static constexpr int arrays = 2, numbers = 1;
  static constexpr uint32_t changed = 0b01;
  template <class V> MT_FN void operator()(V* at, const V* r) const {
    const V least = V(0) - r[0];
    at[0] = select(at[0] < least, least, select(at[0] > r[0], r[0], at[0]));
  }
};

struct ClipValues {
  using Functors = List<Limit>;
  static constexpr Decl decl{.name = "clip_values",
                             .signature = "gradients:tensors limit:number",
                             .method = Method::none,
                             .dtypes = float_dtypes,
                             .differentiable = false,
                             .doc =
                                 "Clamps each element of all gradients of a list to -limit..limit, in place, in one pass. NaN stays NaN. "
                                 "The gradients may differ in size and type. Nothing is recorded.",
                             .samples =
                                 "{{randn(3, 4), randn(5)}, 0.5}, {{randn(3), full(inf, 5), full(-inf, 2)}, 2}, {{full(nan, 3)}, 1}, "
                                 "{{randn(0)}, 2}"};
};

using OptimOps = List<SgdStep, AdamStep, AmsgradStep, NadamStep, RadamStep, AdamaxStep, RmspropStep, AdagradStep, AdadeltaStep, LionStep,
                      AsgdStep, RpropStep, Unscale, ClipValues>;
