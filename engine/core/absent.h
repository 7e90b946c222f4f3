// Ops that this build leaves out (cmake/minimal.cmake, bin/minimal). It knows their names, so that a call gets an error that says why.
#pragma once

#include <span>
#include <string_view>

namespace mt {

struct AbsentOp {
  std::string_view name;
  std::string_view alias;  // other names, separated by spaces
};

// Empty in a full build. With MT_MINIMAL, generated code lists the names of declarations that are left out.
std::span<const AbsentOp> absent_ops();

// What leaves them out, for messages: "MT_MINIMAL", or "bin/minimal net.onnx".
std::string_view small_build();

// Raises an error if this build leaves out the op with this name.
void refuse_absent(std::string_view op);

bool is_absent(std::string_view op);

}  // namespace mt
