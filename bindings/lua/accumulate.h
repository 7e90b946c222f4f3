// Ops that can add what they give to a tensor in one pass, so that a gradient that arrives for a node that has one makes no tensor.
#pragma once

#include <string_view>

#include "bindings/lua/state.h"

namespace mt::lua {

// How the op of that name adds scale times its result to `held`, which nobody else sees; null where it can't. Such a function gives false,
// having done nothing, where the arguments are not of the usual kind.
using OntoFn = bool (*)(const State& state, Tensor& held, double scale, const Value* args);
OntoFn find_onto(std::string_view op);

// held + scale g, in place
void add_onto(const State& state, Tensor& held, const Tensor& g, double scale = 1);
Tensor sum_of(const State& state, const Tensor& a, const Tensor& b);

}  // namespace mt::lua
