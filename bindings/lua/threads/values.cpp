// Messages outside of pools: checks whether values can be sent, and marks values that are always sent by reference.
#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "bindings/lua/threads/objects.h"
#include "bindings/lua/values/metatables.h"

namespace mt::lua {
namespace {

// travels(value) -> true; or false and the reason
int travels(lua_State* L) {
  lua_settop(L, 1);
  auto* message = new (std::nothrow) Message;
  if (message == nullptr) return luaL_error(L, "threads: out of memory");
  const bool good = write_values(L, upvalue_context(L), *message, 1, true, Travel::value);
  delete message;
  lua_pushboolean(L, good ? 1 : 0);
  if (good) return 1;
  lua_insert(L, -2);
  return 2;
}

// reference(value) -> a wrapper that makes a message send the value by reference
int reference(lua_State* L) {
  lua_settop(L, 1);
  lua_createtable(L, 1, 0);
  lua_insert(L, 1);
  lua_rawseti(L, 1, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, upvalue_context(L).reference_metatable);
  lua_setmetatable(L, 1);
  return 1;
}

// Messages that a storage identifies by a number in it. They can be read in any state, any number of times, while the storage lives.
struct Kept {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<const Message>> messages;
};
Kept& kept() {
  static auto* const kept = new Kept;  // never destroyed: storages can outlive statics
  return *kept;
}

constexpr uint64_t ticket_magic = 0x6d74'5469'636b'6574;

// The content of such a storage; untrusted, because programs can write it.
struct Ticket {
  uint64_t magic, number;
};

// A ticket, and the number that it was created with, which programs can't change.
struct Issued {
  Ticket ticket;
  const uint64_t number;
};

void forget(void* context) {
  const std::unique_ptr<const Issued> issued(static_cast<const Issued*>(context));
  std::shared_ptr<const Message> last;  // released outside the lock: its destruction may call this function
  const std::lock_guard lock(kept().mutex);
  const auto found = kept().messages.find(issued->number);
  if (found == kept().messages.end()) return;
  last = std::move(found->second);
  kept().messages.erase(found);
}

Storage* keep(std::shared_ptr<const Message> message) {
  static std::atomic<uint64_t> last_number{0};
  const uint64_t number = ++last_number;
  auto issued = std::make_unique<Issued>(Issued{{ticket_magic, number}, number});
  Storage* storage = Storage::borrow(DType::int8, &issued->ticket, sizeof(Ticket), forget, issued.get());
  {
    const std::lock_guard lock(kept().mutex);
    kept().messages.emplace(number, std::move(message));
  }
  issued.release();
  return storage;
}

// save(value) -> a CharStorage that identifies the value; tensors are sent by reference
int save(lua_State* L) {
  lua_settop(L, 1);
  State& state = need_torch(L);
  Context& context = upvalue_context(L);
  auto* message = new (std::nothrow) std::shared_ptr<Message>(new (std::nothrow) Message);
  if (message == nullptr || *message == nullptr) return luaL_error(L, "save: out of memory");
  Storage* storage = nullptr;
  if (write_values(L, context, **message, 1, true, Travel::value)) {
    try {
      storage = keep(std::move(*message));
    } catch (const std::exception&) {
      lua_pushliteral(L, "save: out of memory");
    }
  }
  delete message;
  if (storage == nullptr) return lua_error(L);
  push_storage(L, state, StoragePtr::adopt(storage));
  return 1;
}

std::shared_ptr<const Message> find_kept(const StoragePtr* storage) {
  Ticket ticket;
  if (storage == nullptr || (*storage)->dtype != DType::int8 || (*storage)->device != cpu_device) return nullptr;
  if ((*storage)->size != sizeof ticket) return nullptr;
  std::memcpy(&ticket, (*storage)->data, sizeof ticket);
  if (ticket.magic != ticket_magic) return nullptr;
  const std::lock_guard lock(kept().mutex);
  const auto found = kept().messages.find(ticket.number);
  return found != kept().messages.end() ? found->second : nullptr;
}

// load(storage) -> the saved value
int load(lua_State* L) {
  Context& context = upvalue_context(L);
  Message* copy = nullptr;  // reading consumes the message
  try {
    if (const auto message = find_kept(test_storage(L, 1)); message != nullptr) copy = new Message(*message);
  } catch (const std::exception&) {
    return luaL_error(L, "load: out of memory");
  }
  if (copy == nullptr) return luaL_error(L, "load: storage: expected the result of threads.sharedserialize.save, not a copy of it");
  lua_rawgeti(L, LUA_REGISTRYINDEX, context.read);
  lua_pushlightuserdata(L, copy);
  const bool good = lua_pcall(L, 1, 1, 0) == 0;
  delete copy;
  return good ? 1 : lua_error(L);
}

// savedBytes(storage) -> the memory of the saved value, without the elements of shared tensors
int saved_bytes(lua_State* L) {
  size_t bytes = 0;
  if (const auto message = find_kept(test_storage(L, 1)); message != nullptr) {
    bytes = message->bytes.size() + message->texts.size() + message->objects.size() * sizeof(Message::Object);
  }
  lua_pushnumber(L, static_cast<lua_Number>(bytes));
  return 1;
}

}  // namespace

void add_function(lua_State* L, Context& context, const char* name, lua_CFunction f) {
  lua_pushlightuserdata(L, &context);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

void open_values(lua_State* L, Context& context) {
  add_function(L, context, "travels", travels);
  add_function(L, context, "reference", reference);
  add_function(L, context, "save", save);
  add_function(L, context, "load", load);
  add_function(L, context, "savedBytes", saved_bytes);
}

}  // namespace mt::lua
