// The bytes of one Lua state's storages.
#pragma once

#include <cstdint>

#include "engine/core/account.h"
#include "engine/core/budget.h"
#include "engine/core/tensor.h"

namespace mt::lua {

class MemoryAccount {
 public:
  MemoryAccount() = default;
  ~MemoryAccount() { close_account(account_, charged_); }
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  // False if too many states are open, so that the storages of this one are not counted.
  bool is_open() const { return account_ != no_account; }

  // Counts a storage if it has no account, and no other thread can see it. Borrowed memory is not counted.
  void claim(Storage& storage) {
    if (storage.account != no_account || !storage.resizable || !storage.is_unique()) return;
    storage.account = account_;
    charged_ += static_cast<int64_t>(storage.capacity);
  }
  void claim(const Tensor& t) {
    if (t.storage() != nullptr) claim(*t.storage());
  }

  // The bytes in the storages now; without an account, the bytes of all states.
  int64_t live_bytes() const;

  // A budget of the account, without a limit. It refers to this object.
  Budget budget() { return {account_, 0, &charged_}; }

 private:
  const Account account_ = open_account();
  int64_t charged_ = 0;  // bytes of storages when they were claimed
};

}  // namespace mt::lua
