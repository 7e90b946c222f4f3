#include "engine/core/absent.h"

#include <algorithm>

#include "engine/core/error.h"

namespace mt {

bool is_absent(std::string_view op) { return std::ranges::find(absent_ops(), op) != absent_ops().end(); }

void refuse_absent(std::string_view op) {
  if (is_absent(op)) throw Error(Status::unsupported, concat(op, ": not in this build (MT_MINIMAL)"));
}

}  // namespace mt
