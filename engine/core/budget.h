// A limit on what the storages of one holder may take: while a front end works for it, what its thread makes counts at once.
#pragma once

#include <cstdint>

#include "engine/core/account.h"

namespace mt {

struct Budget {
  const Account account;
  int64_t limit;           // bytes; 0: none
  int64_t* const charged;  // what was charged to the account in all

  bool is_set() const { return limit != 0; }
  int64_t live() const { return *charged - given_back(account); }
  // Raises an error of Status::memory where so many bytes more would pass the limit, also after garbage was collected.
  void ask(int64_t bytes) const;
};

// The one that the calling thread's new storages count against, or nullptr.
Budget* budget_of_thread();

// For its lifetime, the calling thread's new storages count against a budget, if that has a limit.
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
