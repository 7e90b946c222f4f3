// Fused loops (engine/ops/fused_program.h) as C++ source of kernels. The formulas are those of the ops' own kernels: cuda/functors.h.
#pragma once

#include <string>

#include "engine/ops/fused_launch.h"

namespace mt::cuda {

// What the source knows of the tensors. Sizes, strides and numbers are arguments of the kernel.
struct FusedForm {
  int dims = 0;         // of the common layout; 0: all tensors are contiguous, or have one element
  bool wide = false;    // elements are counted in 64 bits, not in 32; of contiguous tensors always
  uint32_t single = 0;  // contiguous tensors with one element; bit i: tensor i
  auto operator<=>(const FusedForm&) const = default;
};

FusedForm form_of(const FusedOperands& operands);

// Whether there is a functor for each op of the program, and no tensor has a dtype for storage.
bool has_source(const FusedProgram& program);
std::string fused_source(const FusedProgram& program, const FusedForm& form);

// The kernel's name in cuda/functors.h of the functor of a step.
std::string_view functor_of(const FusedProgram::Step& step);
bool is_functor(std::string_view name);

int elements_per_pack(const FusedProgram& program);  // that a thread loads at once from contiguous tensors

}  // namespace mt::cuda
