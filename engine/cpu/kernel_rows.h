// The rows of a family whose ops are driven by code of their own (Op::plan) and share one table of kernels.
#pragma once

#include <span>

#include "engine/core/registry.h"

namespace mt::cpu {

template <class... Ops> std::span<const Row> rows_with(const void* kernels, List<Ops...>) {
  static const Row table[] = {{&Ops::decl, &Ops::plan, kernels}...};
  return table;
}

}  // namespace mt::cpu
