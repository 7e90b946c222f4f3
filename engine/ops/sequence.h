// The drivers of numbers at equal distances: how many there are, and their formula.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// first + step * i / parts for i = 0, 1, ...
struct Sequence {
  double first, step, parts;
};

// Fills n elements with a sequence from its element `begin` on, each rounded as the formula is, whatever the processor.
struct SequenceLoops {
  void (*doubles)(double* to, const Sequence& sequence, int64_t begin, int64_t n);
  void (*floats)(float* to, const Sequence& sequence, int64_t begin, int64_t n);
};

void run_range(Call& call);
void run_arange(Call& call);
void run_linspace(Call& call);
void run_logspace(Call& call);

}  // namespace mt
