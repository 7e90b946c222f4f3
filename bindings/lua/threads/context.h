// What the package threads keeps for a Lua state: prototypes of functions that came and went, and scratch that messages reuse.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings/lua/state/state.h"
#include "bindings/lua/threads/memo.h"
#include "engine/messages/message.h"

namespace mt::lua {

using namespace messages;

// What one message needs while it is written.
struct WriterScratch {
  Memo memo;
  int anchors = LUA_NOREF;  // a table of the objects met, empty between messages
};

struct Context {
  Codes codes;                                          // by what string.dump gives
  std::string dumped;                                   // the dump of the function at hand
  std::vector<std::unique_ptr<WriterScratch>> scratch;  // of messages that are not being written
  int factories = LUA_NOREF;                            // by Code::id: functions that make closures
  size_t factory_count = 0;
  int classes = LUA_NOREF;                  // metatables by the names of their classes
  int writes_itself = LUA_NOREF;            // whether a class's objects do, by its metatable; weak
  int field_names = LUA_NOREF;              // names of C functions and userdata that are fields of packages, by value; weak
  int reference_metatable = LUA_NOREF;      // of what threads.share gives
  int shared_metatables = LUA_NOREF;        // of mutexes, conditions and queues, by kind
  int write = LUA_NOREF, read = LUA_NOREF;  // the functions that write and read a message in protected mode
  std::string folder;                       // of the library's Lua files
  std::string message;                      // of an error that is about to be raised
};

inline Context& upvalue_context(lua_State* L) { return *static_cast<Context*>(lua_touserdata(L, lua_upvalueindex(1))); }

// The binding's own state, once torch is loaded.
State* torch_state(lua_State* L);
// The same; torch is loaded where it is not.
State& need_torch(lua_State* L);

// The code of the Lua function at the index. Raises C++ errors.
CodePtr code_of(lua_State* L, Context& context, int index);
// Pushes a function of this code with upvalues of its own, all nil.
void push_closure(lua_State* L, Context& context, const Code& code);

// Where values come from or go to, for messages of what can't go.
enum class Travel { job, result, value };

// Puts the values from `first` to the top of the stack, which it takes off, into an empty message. False where some can't go, with the
// error on top; the message is empty then.
bool write_values(lua_State* L, Context& context, Message& message, int first, bool by_reference, Travel travel);
// Pushes what was written, above slots of its own. May raise Lua errors, and C++ errors.
void read_values(lua_State* L, Context& context, Message& message);

void open_writer(lua_State* L, Context& context);

}  // namespace mt::lua
