// Queues of messages as Lua objects. Any thread can add and take; adding waits for room, taking waits for a message.
#include <deque>

#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/threads/objects.h"
#include "bindings/lua/threads/wait.h"
#include "bindings/lua/values/boxes.h"

namespace mt::lua {
namespace {

class Queue final : public Shared {
 public:
  explicit Queue(size_t room, bool by_reference) : Shared(Kind::queue), by_reference(by_reference), room_(room) {}

  const bool by_reference;

  // Returns false and leaves the message unchanged when patience is over.
  bool add(std::unique_ptr<Message>& message, const Patience& patience) {
    std::unique_lock lock(mutex_);
    if (!wait_for(lock, taken_, patience, [this] { return messages_.size() < room_; })) return false;
    messages_.push_back(std::move(message));
    added_.notify_one();
    return true;
  }
  // Returns null when patience is over.
  std::unique_ptr<Message> take(const Patience& patience) {
    std::unique_lock lock(mutex_);
    if (!wait_for(lock, added_, patience, [this] { return !messages_.empty(); })) return nullptr;
    std::unique_ptr<Message> message = std::move(messages_.front());
    messages_.pop_front();
    taken_.notify_one();
    return message;
  }
  std::pair<size_t, size_t> counts() const {
    const std::lock_guard lock(mutex_);
    return {messages_.size(), room_};
  }

 private:
  const size_t room_;
  mutable std::mutex mutex_;
  std::condition_variable added_, taken_;
  std::deque<std::unique_ptr<Message>> messages_;
};

Queue& check_queue(lua_State* L) {
  auto* box = test_box<SharedBox>(L, 1, shared_magic);
  const bool right = box != nullptr && box->object != nullptr && box->object->kind == Shared::Kind::queue;
  if (!right) luaL_error(L, "threads.Queue: self: %s, expected a queue", class_name(L, 1));
  return *static_cast<Queue*>(box->object.get());
}

// newQueue(room, by reference)
int new_queue(lua_State* L) {
  const auto room = static_cast<int64_t>(luaL_checknumber(L, 1));
  luaL_argcheck(L, room >= 1, 1, "expected 1 or more");
  return push_new<Queue>(L, "threads.Queue", static_cast<size_t>(room), lua_toboolean(L, 2) != 0);
}

// On an error returns false, with the error on the stack.
bool add_values(lua_State* L, Context& context, Queue& queue) {
  auto message = std::make_unique<Message>();
  message->by_reference = queue.by_reference;
  if (!write_values(L, context, *message, 2, queue.by_reference, Travel::job)) return false;
  if (queue.add(message, StatePatience(L))) return true;
  if (interrupt_asked()) interrupt_reported();
  lua_pushliteral(L, "interrupted!");
  return false;
}

// queueAdd(queue, function, arguments...): adds a job; waits for room
int queue_add(lua_State* L) {
  if (!add_values(L, upvalue_context(L), check_queue(L))) lua_error(L);
  return 0;
}

// queueTake(queue) -> function, arguments of the next job; waits for one
int queue_take(lua_State* L) {
  Context& context = upvalue_context(L);
  Message* message = check_queue(L).take(StatePatience(L)).release();
  if (message == nullptr) raise_interrupted(L);
  const int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, context.read);
  lua_pushlightuserdata(L, message);
  const bool good = lua_pcall(L, 1, LUA_MULTRET, 0) == 0;
  delete message;
  if (!good) lua_error(L);
  return lua_gettop(L) - top;
}

// queueCounts(queue) -> number of jobs in the queue, its capacity
int queue_counts(lua_State* L) {
  const auto [waiting, room] = check_queue(L).counts();
  lua_pushnumber(L, static_cast<lua_Number>(waiting));
  lua_pushnumber(L, static_cast<lua_Number>(room));
  return 2;
}

}  // namespace

void open_queues(lua_State* L, Context& context) {
  const luaL_Reg functions[] = {{"newQueue", new_queue}, {"queueAdd", queue_add}, {"queueTake", queue_take}, {"queueCounts", queue_counts}};
  for (const luaL_Reg& f : functions) add_function(L, context, f.name, f.func);
}

}  // namespace mt::lua
