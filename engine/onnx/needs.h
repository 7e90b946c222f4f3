// What a model needs of a build: for builds that have nothing else (bin/minimal).
#pragma once

#include <set>
#include <string_view>

#include "engine/onnx/program.h"

namespace mt::onnx {

struct Needs {
  std::set<std::string_view> ops;  // of ONNX, with those of bodies and functions
  DTypeSet dtypes;                 // of inputs, outputs, constants, and results that attributes name
};

Needs needs_of(const Program& program);

}  // namespace mt::onnx
