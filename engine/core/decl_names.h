// The words for the values of a declaration's fields: in Lua, in declarations of libraries, and in messages. In the order of the values.
#pragma once

#include "engine/core/decl.h"

namespace mt {

inline constexpr std::string_view rule_names[] = {"same", "float", "real", "complex", "mask", "index", "custom"},
                                  method_names[] = {"inPlace", "alwaysInPlace", "returns", "none"},
                                  sharing_names[] = {"none", "view", "maybe"}, extent_names[] = {"any", "same", "alike"},
                                  precision_names[] = {"as given", "low", "float32", "widest"},
                                  number_kind_names[] = {"boolean", "unsigned integer", "signed integer", "real", "complex"};

}  // namespace mt
