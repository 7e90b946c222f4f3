// A limit on the memory of one holder's storages: while a front end works for the holder, new storages of its thread count at once.
#pragma once

#include <cstdint>

#include "engine/core/account.h"

namespace mt {

struct Budget {
  const Account account;
  int64_t limit;           // bytes; 0: none
  int64_t* const charged;  // bytes charged to the account so far

  bool is_set() const { return limit != 0; }
  int64_t live() const { return *charged - given_back(account); }
  // Raises an error of Status::memory if `bytes` more would exceed the limit even after a garbage collection.
  void ask(int64_t bytes) const;
};

// The budget of the calling thread's new storages, or nullptr.
Budget* budget_of_thread();

// For its lifetime, new storages of the calling thread count against a budget, if that has a limit.
class Spending {
 public:
  explicit Spending(Budget& budget) : set_(budget.is_set()) {
    if (set_) [[unlikely]]
      outer_ = exchange(&budget);
  }
  ~Spending() {
    if (set_) [[unlikely]]
      exchange(outer_);
  }
  Spending(const Spending&) = delete;
  Spending& operator=(const Spending&) = delete;

 private:
  static Budget* exchange(Budget* budget);

  const bool set_;
  Budget* outer_ = nullptr;
};

}  // namespace mt
