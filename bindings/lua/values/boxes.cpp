#include "bindings/lua/values/boxes.h"

#include "engine/core/image_layout.h"

namespace mt::lua {

bool is_exclusive(const Tensor& t) { return t.storage() != nullptr && t.storage()->is_unique() && lies_without_gaps(t); }

double version_of(const Tensor& t) {
  if (t.storage() == nullptr) return 0;
  uint64_t version = t.storage()->version.load(std::memory_order_relaxed);
  if (const int last = t.dim() - 1; last >= 0) {  // views of the same storage rarely agree in all of these
    version += static_cast<uint64_t>(t.offset()) * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(t.size(0)) * 0xc2b2ae3d27d4eb4f +
               static_cast<uint64_t>(t.size(last)) * 0x165667b19e3779f9 + static_cast<uint64_t>(t.stride(last)) * 0x27d4eb2f165667c5 +
               (static_cast<uint64_t>(last) << 40);
  }
  return static_cast<double>(version & ((uint64_t{1} << 52) - 1));
}

}  // namespace mt::lua
