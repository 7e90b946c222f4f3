// Memory by who holds it: a Lua state counts what its own storages take, whatever else the process does.
#pragma once

#include <cstdint>

namespace mt {

using Account = uint8_t;
inline constexpr Account no_account = 0;

Account open_account();  // no_account when all are taken
// Its holder has charged so many bytes in all. Storages that live on are given back later, and then the account is free.
void close_account(Account account, int64_t charged);

// Bytes of what was charged to an account, on any thread.
void give_back(Account account, int64_t bytes);
int64_t given_back(Account account);

}  // namespace mt
