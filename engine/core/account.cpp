#include "engine/core/account.h"

#include <atomic>

namespace mt {
namespace {

// The holder counts its charges without synchronisation. Only freeing costs an atomic addition, on a cache line per account.
struct alignas(64) Entry {
  std::atomic<bool> open{false};
  std::atomic<int64_t> given_back{0};  // of a closed account: minus the charged bytes, so 0 when all storages are freed
};
constinit Entry entries[UINT8_MAX + 1];

}  // namespace

Account open_account() {
  for (int i = no_account + 1; i <= UINT8_MAX; ++i) {
    Entry& entry = entries[i];
    if (entry.given_back.load() != 0 || entry.open.exchange(true)) continue;
    if (entry.given_back.load() == 0) return static_cast<Account>(i);  // it was not reopened meanwhile
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
