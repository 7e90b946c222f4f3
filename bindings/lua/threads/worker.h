// The worker of a pool's thread: a Lua state in which jobs run.
#pragma once

#include <memory>

#include "bindings/lua/threads/pool.h"

namespace mt::lua {

// The environment is a function with its arguments, which the worker calls first. Raises C++ errors.
std::unique_ptr<Pool::Worker> make_worker(int number, const Beginning& beginning);

}  // namespace mt::lua
