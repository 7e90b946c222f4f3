// Random numbers: a thread computes the elements of one block of Philox, whose number determines its counter, so that results don't depend
// on the launch shape. One launch per op; bernoulli needs two and a wait if it checks a tensor of probabilities.
#include "engine/ops/random.h"

#include <cmath>

#include "cuda/kernels/draws.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/value.h"
#include "engine/ops/drawn.h"

namespace mt::cuda {
namespace {

// Functions of plain floats and doubles, which those of value.h would hide.
namespace values {
using std::cos, std::exp, std::log, std::sin, std::sqrt, std::tan;
#include "engine/ops/drawn-inl.h"
}  // namespace values

using drawn::Distribution;
using drawn::Kind;

template <class T> MT_DEVICE T as_element(int64_t value) {
  if constexpr (is_16bit_float<T>)
    return narrow<T>(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else
    return static_cast<T>(value);
}

// Elements 0..n of out; maker(block, number of its first element, elements) computes those of one block.
template <class T, int per, class Maker> struct DrawKernel {
  CallDraws draws;
  Maker maker;
  T* out;
  int64_t n;
  bool packed;

  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i * per < n; i += t.global_threads()) {
      Pack<T, per> made;
      maker(draws.block(i), i * per, made.at);
      if (packed && n - i * per >= per) {
        store_pack(out + i * per, made);
      } else {
        for (int j = 0; j < per && i * per + j < n; ++j) out[i * per + j] = made.at[j];
      }
    }
  }
};

template <int per, class T, class Maker> void draw(const Tensor& out, const Draws& draws, const Maker& maker) {
  const Stream stream = op_stream();
  DrawKernel<T, per, Maker> kernel{CallDraws(draws, stream), maker, elements<T>(out), out.numel(), false};
  kernel.packed = is_pack_aligned<per>(kernel.out);
  launch_each(stream, (kernel.n + per - 1) / per, kernel);
}

// One number of a block, as float or as double.
template <class C> MT_DEVICE auto bits_of(const PhiloxBlock& block, int which) {
  if constexpr (std::is_same_v<C, double>)
    return Draws::pair(block, which);
  else
    return block.words[which];
}

template <class T, Kind kind> struct ValueMaker {
  using C = Compute<T>;
  static constexpr int per = sizeof(PhiloxBlock) / sizeof(C);
  Distribution d;

  MT_DEVICE void operator()(const PhiloxBlock& block, int64_t, T* made) const {
    if constexpr (kind == Kind::normal || kind == Kind::log_normal) {
      for (int j = 0; j < per; j += 2) {
        const auto pair = values::normal_pair(drawn::positive(bits_of<C>(block, j)), drawn::centred(bits_of<C>(block, j + 1)));
        made[j] = of_normal(pair.first);
        made[j + 1] = of_normal(pair.second);
      }
    } else {
      for (int j = 0; j < per; ++j) made[j] = narrow<T>(value(bits_of<C>(block, j)));
    }
  }
  template <class Bits> MT_DEVICE C value(Bits bits) const {
    if constexpr (kind == Kind::uniform)
      return values::scaled(drawn::fraction(bits, d), d.a, d.b - d.a);
    else if constexpr (kind == Kind::exponential)
      return values::exponential_value(drawn::positive(bits), d.a);
    else
      return values::cauchy_value(drawn::centred(bits), d.a, d.b);
  }
  MT_DEVICE T of_normal(C standard) const {
    const C value = values::scaled(standard, d.a, d.b);
    if constexpr (kind == Kind::log_normal)
      return narrow<T>(values::exp(value));
    else
      return narrow<T>(value);
  }
};

template <Kind kind> void run_distribution(const DistributionPlan& plan) {
  dispatch<float_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    using Maker = ValueMaker<T, kind>;
    draw<Maker::per, T>(plan.out, plan.source.draws, Maker{Distribution(kind, plan.a, plan.b, plan.out.dtype())});
  });
}

template <class T> struct GeometricMaker {
  double rate;
  MT_DEVICE void operator()(const PhiloxBlock& block, int64_t, T* made) const {
    for (int j = 0; j < 2; ++j)
      made[j] = as_element<T>(static_cast<int64_t>(values::exponential_value(drawn::positive(Draws::pair(block, j)), rate)) + 1);
  }
};

void run_geometric(const DistributionPlan& plan) {
  dispatch(plan.out.dtype(),
           [&]<class T>(std::type_identity<T>) { draw<2, T>(plan.out, plan.source.draws, GeometricMaker<T>{-std::log(plan.a)}); });
}

template <class T> struct BernoulliMaker {
  uint64_t limit;         // for all elements,
  const double* chances;  // or one probability per element
  int64_t n;
  MT_DEVICE void operator()(const PhiloxBlock& block, int64_t first, T* made) const {
    for (int j = 0; j < 4; ++j) {
      const uint64_t below = chances == nullptr ? limit : first + j < n ? drawn::below(chances[first + j]) : 0;
      made[j] = as_element<T>(block.words[j] < below ? 1 : 0);
    }
  }
};

struct ImproperKernel {
  const double* chances;
  int64_t n;
  uint32_t* improper;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      if (!(chances[i] >= 0 && chances[i] <= 1)) atomic_or(improper, uint32_t{1});
    }
  }
};

bool has_improper(const Tensor& chances) {
  const Stream stream = op_stream();
  const Scratch<uint32_t> improper(stream, 1);
  driver::set_bytes(stream, improper.address(), 0, sizeof(uint32_t));
  launch_each(stream, chances.numel(), ImproperKernel{elements<double>(chances), chances.numel(), improper.data()});
  uint32_t found = 0;
  driver::copy_to_host(stream, &found, improper.address(), sizeof found);
  return found != 0;
}

void run_bernoulli(const BernoulliPlan& plan) {
  const double* chances = plan.chances ? elements<double>(plan.chances) : nullptr;
  if (chances != nullptr && (*plan.improper = has_improper(plan.chances))) return;
  const uint64_t limit = chances == nullptr ? drawn::below(plan.chance) : 0;
  dispatch(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    draw<4, T>(plan.out, plan.source.draws, BernoulliMaker<T>{limit, chances, plan.out.numel()});
  });
}

template <class T> struct RandomMaker {
  uint64_t first, count;
  MT_DEVICE void operator()(const PhiloxBlock& block, int64_t, T* made) const {
    for (int j = 0; j < 2; ++j) made[j] = as_element<T>(static_cast<int64_t>(drawn::one_of(Draws::pair(block, j), count) + first));
  }
};

void run_random(const RandomPlan& plan) {
  dispatch(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    draw<2, T>(plan.out, plan.source.draws, RandomMaker<T>{static_cast<uint64_t>(plan.first), plan.count});
  });
}

struct CountReplayKernel {
  uint64_t* replays;
  MT_DEVICE void operator()(Thread& t) const {
    if (t.global_index() == 0) ++*replays;
  }
};

constexpr KernelRow rows[] = {{"uniform", kernel<&run_distribution<Kind::uniform>>()},
                              {"normal", kernel<&run_distribution<Kind::normal>>()},
                              {"logNormal", kernel<&run_distribution<Kind::log_normal>>()},
                              {"exponential", kernel<&run_distribution<Kind::exponential>>()},
                              {"cauchy", kernel<&run_distribution<Kind::cauchy>>()},
                              {"rand", kernel<&run_distribution<Kind::uniform>>()},
                              {"randn", kernel<&run_distribution<Kind::normal>>()},
                              {"geometric", kernel<&run_geometric>()},
                              {"bernoulli", kernel<&run_bernoulli>()},
                              {"random", kernel<&run_random>()}};

}  // namespace

void count_replay(Stream stream, uint64_t* replays) { launch(stream, 1, warp_size, 0, CountReplayKernel{replays}); }

KernelRows random_rows() { return rows; }

}  // namespace mt::cuda
