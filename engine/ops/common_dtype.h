// The dtype in which an op computes with arguments of several dtypes.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// promote(), which doesn't know the op: an error begins with the op's name.
inline DType common_dtype(const Call& call, DType a, DType b) {
  try {
    return promote(a, b);
  } catch (const Error& error) {
    constexpr std::string_view unnamed = "dtype";
    raise(error.status(), concat(call.name(), std::string_view(error.what()).substr(unnamed.size())));
  }
}

}  // namespace mt
