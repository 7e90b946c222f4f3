#include "engine/core/budget.h"

#include <utility>

#include "engine/core/collector.h"
#include "engine/core/error.h"

namespace mt {
namespace {

thread_local Budget* own = nullptr;

}  // namespace

Budget* budget_of_thread() { return own; }
Budget* Spending::exchange(Budget* budget) { return std::exchange(own, budget); }

void Budget::ask(int64_t bytes) const {
  if (bytes <= limit - live()) return;
  if (collect_garbage() && bytes <= limit - live()) return;
  raise(Status::memory,
        concat("out of memory: ", bytes, " bytes were asked for, ", live(), " of the ", limit, " that this state may have are in use"));
}

}  // namespace mt
