// A thread of a pool as a Lua state of its own, that jobs run in.
#pragma once

#include <memory>

#include "bindings/lua/threads/pool.h"

namespace mt::lua {

// The environment is a function and its arguments, which is called first of all. Raises C++ errors.
std::unique_ptr<Pool::Worker> make_worker(int number, const Beginning& beginning);

}  // namespace mt::lua
