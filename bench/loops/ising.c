// examples/ising.lua in C. Prints the magnetization at each temperature, and the nanoseconds per visit of a spin.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "now.h"

// MT19937. Source: Matsumoto & Nishimura (1998), "Mersenne Twister", ACM TOMACS 8(1).
static uint32_t state[624];
static int next = 624;

static void seed(uint32_t s) {
  for (int i = 0; i < 624; ++i) {
    state[i] = i == 0 ? s : 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + (uint32_t)i;
  }
}
static double uniform(void) {
  if (next == 624) {
    for (int i = 0; i < 624; ++i) {
      const uint32_t y = (state[i] & 0x80000000u) | (state[(i + 1) % 624] & 0x7fffffffu);
      state[i] = state[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    next = 0;
  }
  uint32_t y = state[next++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return (y ^ y >> 18) * 0x1p-32;
}

static __attribute__((noinline, noclone)) void sweep(int8_t* spins, int n, const double* chances) {
  for (int i = 0; i < n; ++i) {
    const int above = i > 0 ? i - 1 : n - 1, below = i < n - 1 ? i + 1 : 0;
    for (int j = 0; j < n; ++j) {
      const int left = j > 0 ? j - 1 : n - 1, right = j < n - 1 ? j + 1 : 0;
      const int spin = spins[i * n + j];
      const int agreement = spin * (spins[above * n + j] + spins[below * n + j] + spins[i * n + left] + spins[i * n + right]);
      if (uniform() < chances[agreement + 4]) spins[i * n + j] = (int8_t)-spin;
    }
  }
}

int main(void) {
  enum { n = 64, sweeps = 1500 };
  static int8_t spins[n * n];
  double total = 0;
  seed(1);
  for (int t = 0; t < 7; ++t) {
    double chances[9], sum = 0;
    for (int k = 0; k < 9; ++k) chances[k] = exp(-2 * (k - 4) / (1.5 + 0.3 * t));
    for (int i = 0; i < n * n; ++i) spins[i] = 1;
    const double start = now();
    for (int k = 1; k <= sweeps; ++k) {
      sweep(spins, n, chances);
      if (3 * k <= sweeps) continue;
      int magnetization = 0;
      for (int i = 0; i < n * n; ++i) magnetization += spins[i];
      sum += abs(magnetization);
    }
    total += now() - start;
    printf("%.4f ", sum / (sweeps - sweeps / 3) / n / n);
  }
  printf("%.2f\n", total / 7 / sweeps / n / n);
}
