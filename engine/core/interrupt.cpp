#include "engine/core/interrupt.h"

namespace mt {

void interrupt_detail::stop() { throw Interrupted(); }

void interrupt_reported() {
  int once = 1;
  interrupt_detail::asked.compare_exchange_strong(once, 0, std::memory_order_relaxed);
}

}  // namespace mt
