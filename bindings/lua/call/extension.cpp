#include "bindings/lua/call/extension.h"

#include <string>
#include <utility>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/outgoing_texts.h"
#include "engine/core/error.h"
#include "engine/extension/load.h"

namespace mt::lua {
namespace {

// Calls f with the path at stack index 1; replaces the C function's name in messages by Lua's.
template <class F> void with_library(lua_State* L, F&& f) {
  guarded(L, upvalue_state(L), [&, actual = class_name(L, 1)] {
    if (lua_type(L, 1) != LUA_TSTRING) fail("loadOps", "path", actual, ", expected the path of a library");
    try {
      f(lua_tostring(L, 1));
    } catch (const Error& e) {
      constexpr std::string_view c_name = "mt_ops_load";
      std::string_view message = e.what();
      if (message.starts_with(c_name)) message.remove_prefix(c_name.size() + 2);
      raise(e.status(), concat("loadOps: ", message));
    }
  });
}

// opsOf(path) -> a text with one line per op that a library declares, and whether these ops are already loaded. A line has fields separated
// by tabs: the name, with a colon before it if the op is a method; the names of the arguments; and the gradient for each argument.
int ops_of(lua_State* L) {
  State& state = upvalue_state(L);
  bool added = false;
  std::string lines;
  with_library(L, [&](const char* path) {
    std::string text;
    for (const DeclaredOp& op : read_ops(path)) {
      text.append(op.method ? ":" : "").append(op.name).append("\t");
      for (const std::string& argument : op.arguments) text.append(argument).append(" ");
      for (const std::string& gradient : op.gradients) text.append("\t").append(gradient);
      text.append("\n");
      added = op.added;
    }
    lines = std::move(text);  // errors of Lua must not skip its destructor
  });
  state.texts.push(L, std::move(lines));
  lua_pushboolean(L, added);
  return 2;
}

// loadOps(path) adds the ops of a library
int load_library(lua_State* L) {
  with_library(L, [](const char* path) { load_ops(path); });
  return 0;
}

}  // namespace

void open_extension(lua_State* L, State& state) {
  add_function(L, state, "opsOf", ops_of);
  add_function(L, state, "loadOps", load_library);
}

}  // namespace mt::lua
