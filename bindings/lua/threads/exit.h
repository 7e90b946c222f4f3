// The end of the process, when threads of pools still run.
#pragma once

#include <memory>

namespace mt::lua {

class Pool;

// Lets exit() stop the pool's threads before what they use is destroyed.
void enter_pool(const std::shared_ptr<Pool>& pool);

}  // namespace mt::lua
