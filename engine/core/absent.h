// Ops that this build was made without (cmake/minimal.cmake): their names are known, so that an error says why one of them is not there.
#pragma once

#include <span>
#include <string_view>

namespace mt {

struct AbsentOp {
  std::string_view name;
  std::string_view alias;  // other names, separated by spaces
};

// None in a whole build; in MT_MINIMAL those that generated code reads from the declarations.
std::span<const AbsentOp> absent_ops();

// Refuses an op that this build was made without; does nothing for any other name.
void refuse_absent(std::string_view op);

bool is_absent(std::string_view op);

}  // namespace mt
