// Conversions that let C++ tests write arguments of ops briefly.
#pragma once

#include <vector>

#include "engine/core/registry.h"

inline mt::Value integer_value(int64_t i) {
  mt::Value v;
  v.type = mt::Value::Type::integer;
  v.integer = i;
  return v;
}

inline mt::Value sizes_value(const std::vector<int64_t>& sizes) {
  mt::Value v;
  v.type = mt::Value::Type::sizes;
  v.sizes = sizes.data();
  v.count = static_cast<int32_t>(sizes.size());
  return v;
}
