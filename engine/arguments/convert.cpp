#include "engine/arguments/convert.h"

#include <limits>

namespace mt {

void count_from_0(Value& value, const Param& p, std::string_view op) {
  if (p.takes(kind_dim)) {
    if (value.integer == 0) refuse_argument(op, p.name, "0", "a dimension counted from 1");
    if (value.integer > 0) --value.integer;
  } else if (p.takes(kind_index)) {
    if (value.integer == std::numeric_limits<int64_t>::min()) refuse_argument<Status::range>(op, p.name, value.integer, "a position");
    --value.integer;
  }
}

void count_from_0(std::span<int64_t> list, const Param& p, std::string_view op) {
  for (int64_t& value : list) {
    if (value == 0) refuse_argument<Status::range>(op, p.name, "0", p.takes(kind_dims) ? "dimensions" : "positions", " counted from 1");
    if (value > 0) --value;
  }
}

}  // namespace mt
