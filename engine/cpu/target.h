// The instruction set that the CPU's kernels use: the best that the processor has, or the one that MOONTORCH_CPU names.
#pragma once

#include <string_view>

namespace mt::cpu {

// Obeys the environment variable MOONTORCH_CPU (sse4, avx2 or avx3, on ARM neon; unset or empty: the best). To be called before the first
// kernel is chosen. Raises an error for an unknown name, and for a set that the processor or this build lacks.
void choose_target();

// "avx3", "avx2", "sse4", "neon"; "plain" where none of them is there.
std::string_view target_name();

}  // namespace mt::cpu
