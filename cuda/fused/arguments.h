// The arguments of a fused kernel: the bytes of its struct, in the order in which cuda/fused/source.cpp declares the members.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/fused/source.h"

namespace mt::cuda {

size_t argument_bytes(const FusedProgram& program, const FusedForm& form);
std::vector<std::byte> fused_arguments(const FusedLaunch& launch, const FusedForm& form);
int64_t threads_for(const FusedLaunch& launch, const FusedForm& form);  // that have work

}  // namespace mt::cuda
