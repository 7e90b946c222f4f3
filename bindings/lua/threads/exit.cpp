#include "bindings/lua/threads/exit.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include <unistd.h>

#include "bindings/lua/threads/pool.h"
#include "engine/core/temporary_folder.h"

namespace mt::lua {
namespace {

struct Pools {
  std::mutex mutex;
  std::vector<std::weak_ptr<Pool>> all;
};
Pools& pools() {
  static auto* const pools = new Pools;  // never destroyed: threads can start and end while exit() runs
  return *pools;
}

// exit() destroys objects that threads use. Before that, idle threads end and running jobs are stopped. If a job can't be stopped, since it
// waits in C or loops in compiled code, the process ends without destroying statics.
void stop_all(int status, void*) {
  std::vector<std::shared_ptr<Pool>> living;
  {
    Pools& known = pools();
    const std::lock_guard lock(known.mutex);
    for (const auto& pool : known.all) {
      if (auto alive = pool.lock()) living.push_back(std::move(alive));
    }
  }
  bool all = true;
  for (const auto& pool : living) {
    if (pool->is_of_this_process() && !pool->close(Pool::End::now)) all = false;
  }
  if (all) return;
  std::fflush(nullptr);
  remove_temporary_files();
  _exit(status);
}

}  // namespace

void enter_pool(const std::shared_ptr<Pool>& pool) {
  Pools& known = pools();
  const std::lock_guard lock(known.mutex);
  static const bool registered = on_exit(stop_all, nullptr) == 0;
  static_cast<void>(registered);
  std::erase_if(known.all, [](const std::weak_ptr<Pool>& other) { return other.expired(); });
  known.all.push_back(pool);
}

}  // namespace mt::lua
