#include "engine/core/account.h"

#include <doctest/doctest.h>

#include <thread>

#include "engine/core/storage.h"

namespace mt {
namespace {

Storage* charged(Account account, int64_t size) {
  Storage* storage = Storage::create(DType::float32, size);
  storage->account = account;
  return storage;
}

}  // namespace

TEST_CASE("a storage is given back when it dies, on whichever thread, and its growth is charged") {
  const Account account = open_account();
  REQUIRE(account != no_account);
  CHECK(given_back(account) == 0);
  Storage* storage = charged(account, 100);
  const auto bytes = static_cast<int64_t>(storage->capacity);
  storage->resize(100000);
  CHECK(given_back(account) == bytes - static_cast<int64_t>(storage->capacity));
  std::thread([&] { storage->drop(); }).join();
  CHECK(given_back(account) == bytes);
  close_account(account, bytes);
  CHECK(given_back(account) == 0);
}

TEST_CASE("an account is nobody else's while a storage of it lives") {
  const Account first = open_account();
  Storage* storage = charged(first, 1000);
  close_account(first, static_cast<int64_t>(storage->capacity));
  const Account second = open_account();
  CHECK(second != first);
  storage->drop();
  const Account third = open_account();
  CHECK(third == first);
  close_account(second, 0);
  close_account(third, 0);
}

TEST_CASE("when all accounts are taken there is none") {
  Account taken[UINT8_MAX];
  for (Account& account : taken) account = open_account();
  CHECK(taken[UINT8_MAX - 1] != no_account);
  CHECK(open_account() == no_account);
  for (const Account account : taken) close_account(account, 0);
}

}  // namespace mt
