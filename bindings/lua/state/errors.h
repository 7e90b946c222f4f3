// The errors of one Lua state: the one to raise next, and the last one, for callers in C.
#pragma once

#include <string>

#include "engine/core/error.h"

namespace mt::lua {

struct Errors {
  std::string message;         // of the error to raise next
  std::string raised;          // the sentence of the last error
  Status status = Status::ok;  // the kind of the last error

  void keep() noexcept;                         // saves message and status of the current exception
  bool raised_in(std::string_view text) const;  // whether a text contains the sentence of the last error
};

}  // namespace mt::lua
