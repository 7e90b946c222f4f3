// Objects that threads share by reference: mutexes, conditions, queues and tables. Any thread finds an object again by its number.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "engine/messages/waiting.h"

namespace mt::messages {

class Shared {
 public:
  enum class Kind : uint8_t { mutex, condition, queue, table };

  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  virtual ~Shared();

  const Kind kind;
  const uint64_t id;

 protected:
  explicit Shared(Kind kind);
};
using SharedPtr = std::shared_ptr<Shared>;

// Makes an object that find_shared finds by its number as long as it lives.
template <class T, class... Arguments> std::shared_ptr<T> make_shared_object(Arguments... arguments) {
  auto made = std::make_shared<T>(arguments...);
  enter_shared(made);
  return made;
}
void enter_shared(const SharedPtr& object);
SharedPtr find_shared(uint64_t id);

// A lock that one thread holds; it knows which, so that mistakes are errors.
class Mutex final : public Shared {
 public:
  Mutex() : Shared(Kind::mutex) {}
  enum class Locked : uint8_t { yes, already, given_up };
  Locked lock(const Patience& patience);
  bool unlock();  // false if this thread does not hold it

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  std::thread::id owner_;
};

class Condition final : public Shared {
 public:
  Condition() : Shared(Kind::condition) {}
  enum class Waited : uint8_t { yes, not_locked, given_up };
  // Frees the mutex, waits for a signal, and locks the mutex again.
  Waited wait(Mutex& mutex, const Patience& patience);
  void signal();  // wakes the one that has waited longest, if any does

 private:
  std::mutex mutex_;
  std::condition_variable signalled_;
  // Each waiting thread has a ticket, and signals call tickets in order: a thread that begins to wait later gets no earlier signal.
  uint64_t tickets_ = 0, called_ = 0;
  std::set<uint64_t> given_up_;
};

}  // namespace mt::messages
