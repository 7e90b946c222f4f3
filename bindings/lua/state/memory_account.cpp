#include "bindings/lua/state/memory_account.h"

#include "engine/core/allocator.h"

namespace mt::lua {

int64_t MemoryAccount::live_bytes() const { return is_open() ? charged_ - given_back(account_) : memory_stats().live_bytes; }

}  // namespace mt::lua
