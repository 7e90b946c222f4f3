// Memory accounts: each Lua state counts the bytes of the storages that it creates.
#pragma once

#include <cstdint>

namespace mt {

using Account = uint8_t;
inline constexpr Account no_account = 0;

Account open_account();  // no_account if all are in use
// Closes an account; `charged`: all bytes that the holder charged to it. Once all its storages are freed, the account can be reused.
void close_account(Account account, int64_t charged);

// Credits freed bytes to an account, in any thread.
void give_back(Account account, int64_t bytes);
int64_t given_back(Account account);

}  // namespace mt
