// Stops the threads of pools before the process exits.
#pragma once

#include <memory>

namespace mt::lua {

class Pool;

// Registers the pool: exit() stops its threads before it destroys objects that they use.
void enter_pool(const std::shared_ptr<Pool>& pool);

}  // namespace mt::lua
