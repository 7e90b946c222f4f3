// Values of distributions from 32 bits of the Mersenne twister, as Torch7 computes them: for tensors (engine/cpu/random.cpp) and single
// numbers (bindings/lua/values/number_draws.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace mt::twister {

inline double unit(uint32_t draw) { return draw * 0x1p-32; }  // [0, 1)

struct Uniform {
  double from, width;
  double operator()(uint32_t draw) const { return unit(draw) * width + from; }
};

struct Normal {
  double mean, std;
  double operator()(double standard) const { return standard * std + mean; }
};

struct LogNormal {
  double mean, std;
  double operator()(double standard) const { return std::exp(standard * std + mean); }
};

struct Exponential {
  double lambda;
  double operator()(uint32_t draw) const { return -1 / lambda * std::log(1 - unit(draw)); }
};

struct Cauchy {
  double median, sigma;
  double operator()(uint32_t draw) const { return median + sigma * std::tan(std::numbers::pi * (unit(draw) - 0.5)); }
};

struct Geometric {
  double scale;
  explicit Geometric(double p) : scale(std::log(p)) {}
  int64_t operator()(uint32_t draw) const { return static_cast<int64_t>(std::log(1 - unit(draw)) / scale) + 1; }
};

// Compares integers, because a power of two times the probability is exact.
struct Bernoulli {
  uint32_t limit;
  explicit Bernoulli(double chance) : limit(static_cast<uint32_t>(std::min(chance * 0x1p32, 0xffffffffp0))) {}
  bool operator()(uint32_t draw) const { return draw <= limit; }
};

}  // namespace mt::twister
