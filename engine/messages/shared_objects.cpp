#include "engine/messages/shared_objects.h"

#include <atomic>
#include <unordered_map>

namespace mt::messages {
namespace {

struct Directory {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::weak_ptr<Shared>> objects;
};
Directory& directory() {
  static auto* const directory = new Directory;  // stays, as threads may look after exit has begun
  return *directory;
}

std::atomic<uint64_t> last_id{0};

}  // namespace

Shared::Shared(Kind the_kind) : kind(the_kind), id(++last_id) {}

Shared::~Shared() {
  Directory& all = directory();
  const std::lock_guard lock(all.mutex);
  all.objects.erase(id);
}

void enter_shared(const SharedPtr& object) {
  Directory& all = directory();
  const std::lock_guard lock(all.mutex);
  all.objects[object->id] = object;
}

SharedPtr find_shared(uint64_t id) {
  Directory& all = directory();
  const std::lock_guard lock(all.mutex);
  const auto found = all.objects.find(id);
  return found != all.objects.end() ? found->second.lock() : nullptr;
}

Mutex::Locked Mutex::lock(const Patience& patience) {
  std::unique_lock lock(mutex_);
  const auto self = std::this_thread::get_id();
  if (owner_ == self) return Locked::already;
  if (!wait_for(lock, freed_, patience, [this] { return owner_ == std::thread::id(); })) return Locked::given_up;
  owner_ = self;
  return Locked::yes;
}

bool Mutex::unlock() {
  const std::lock_guard lock(mutex_);
  if (owner_ != std::this_thread::get_id()) return false;
  owner_ = std::thread::id();
  freed_.notify_one();
  return true;
}

Condition::Waited Condition::wait(Mutex& mutex, const Patience& patience) {
  std::unique_lock lock(mutex_);
  if (!mutex.unlock()) return Waited::not_locked;
  const uint64_t ticket = tickets_++;
  const bool signalled = wait_for(lock, signalled_, patience, [this, ticket] { return called_ > ticket; });
  if (!signalled) given_up_.insert(ticket);
  lock.unlock();
  const bool locked = mutex.lock(patience) == Mutex::Locked::yes;
  return signalled && locked ? Waited::yes : Waited::given_up;
}

void Condition::signal() {
  const std::lock_guard lock(mutex_);
  while (given_up_.erase(called_) != 0) ++called_;
  if (called_ < tickets_) ++called_;
  signalled_.notify_all();
}

}  // namespace mt::messages
