// The data of the package threads for one Lua state: codes of functions that were sent or received, and scratch that messages reuse.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings/lua/state/host_lua.h"
#include "bindings/lua/threads/memo.h"
#include "engine/messages/message.h"

namespace mt::lua {

using namespace messages;

struct State;  // bindings/lua/state/state.h

// Scratch for one message while it is written.
struct WriterScratch {
  Memo memo;
  int anchors = LUA_NOREF;  // a table that anchors objects; empty between messages
};

struct Context {
  Codes codes;                                          // by bytecode
  std::string dumped;                                   // the dump of the current function
  std::vector<std::unique_ptr<WriterScratch>> scratch;  // unused ones
  int factories = LUA_NOREF;                            // by Code::id: functions that create closures
  size_t factory_count = 0;
  int classes = LUA_NOREF;                  // metatables by class name
  int writes_itself = LUA_NOREF;            // by metatable: whether objects of the class serialise themselves; weak
  int field_names = LUA_NOREF;              // by value: names of C functions and userdata in fields of packages; weak
  int reference_metatable = LUA_NOREF;      // of the wrappers by threads.share
  int shared_metatables = LUA_NOREF;        // of mutexes, conditions and queues, by kind
  int write = LUA_NOREF, read = LUA_NOREF;  // functions that write and read a message in protected mode
  std::string folder;                       // of the library's Lua files
  std::string message;                      // of the next error, outside of C++ frames
};

inline Context& upvalue_context(lua_State* L) { return *static_cast<Context*>(lua_touserdata(L, lua_upvalueindex(1))); }

// The state of the binding; null until torch is loaded.
State* torch_state(lua_State* L);
// The same; loads torch if necessary.
State& need_torch(lua_State* L);

// The code of the Lua function at the index. Raises C++ errors.
CodePtr code_of(lua_State* L, Context& context, int index);
// Pushes a new closure of this code; its upvalues are nil.
void push_closure(lua_State* L, Context& context, const Code& code);

// The purpose of a message, for error messages.
enum class Travel { job, result, value };

// Pops the values from `first` to the top of the stack and writes them into an empty message. If a value can't be sent, returns false with
// the error on top; the message is empty then.
bool write_values(lua_State* L, Context& context, Message& message, int first, bool by_reference, Travel travel);
// Pushes the values of the message above internal slots. Raises Lua errors and C++ errors.
void read_values(lua_State* L, Context& context, Message& message);

void open_writer(lua_State* L, Context& context);

}  // namespace mt::lua
