// The errors of one Lua state: the one that is about to be raised, and the last one, for callers in C.
#pragma once

#include <string>

#include "engine/core/error.h"

namespace mt::lua {

struct Errors {
  std::string message;         // of the error that is about to be raised
  std::string raised;          // the sentence of the last error
  Status status = Status::ok;  // the kind of the last error

  void keep() noexcept;                         // message and status of the exception in flight
  bool raised_in(std::string_view text) const;  // whether a text contains the sentence of the last error
};

}  // namespace mt::lua
