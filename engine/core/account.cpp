#include "engine/core/account.h"

#include <atomic>

namespace mt {
namespace {

// The holder counts by itself what it charges, so that only what dies costs an atomic addition: on a cache line that it has alone.
struct alignas(64) Entry {
  std::atomic<bool> open{false};
  std::atomic<int64_t> given_back{0};  // of a closed account, less what was charged: 0 when nothing of it lives
};
constinit Entry entries[UINT8_MAX + 1];

}  // namespace

Account open_account() {
  for (int i = no_account + 1; i <= UINT8_MAX; ++i) {
    Entry& entry = entries[i];
    if (entry.given_back.load() != 0 || entry.open.exchange(true)) continue;
    if (entry.given_back.load() == 0) return static_cast<Account>(i);  // nobody opened and closed it in between
    entry.open.store(false);
  }
  return no_account;
}

void close_account(Account account, int64_t charged) {
  if (account == no_account) return;
  entries[account].given_back.fetch_sub(charged);
  entries[account].open.store(false);
}

void give_back(Account account, int64_t bytes) { entries[account].given_back.fetch_add(bytes, std::memory_order_relaxed); }
int64_t given_back(Account account) { return entries[account].given_back.load(std::memory_order_relaxed); }

}  // namespace mt
