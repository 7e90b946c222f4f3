// The instruction set of the CPU's kernels: the best of the processor, or the one named by MOONTORCH_CPU.
#pragma once

#include <string_view>

namespace mt::cpu {

// Reads the environment variable MOONTORCH_CPU (sse4, avx2 or avx3, on ARM neon; unset or empty: the best). Call it before the first kernel
// is chosen. Raises an error for an unknown name, and for a set that the processor or this build lacks.
void choose_target();

// "avx3", "avx2", "sse4", "neon"; "plain" if none is available.
std::string_view target_name();

}  // namespace mt::cpu
