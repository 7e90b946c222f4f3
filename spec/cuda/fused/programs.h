// Fused programs for tests of their sources.
#pragma once

#include <string_view>
#include <vector>

#include "engine/ops/fused_program.h"

namespace mt::test {

inline const Op& op(std::string_view name) { return *Registry::instance().find(name); }

inline FusedProgram::Ref step(FusedProgram& program, std::string_view name, const std::vector<FusedProgram::Argument>& arguments) {
  return program.step(op(name), arguments).value();
}

}  // namespace mt::test
