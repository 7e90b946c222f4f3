// The native part of the interactive loop; lua/trepl/terminal.lua documents the functions, and replaces them in other programs.
#include "terminal.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "interrupt.h"
#include "line_editor.h"

namespace th {
namespace {

int is_terminal(lua_State* L) {
  lua_pushboolean(L, isatty(static_cast<int>(luaL_checkinteger(L, 1))));
  return 1;
}

/// The string is static, so that it is not leaked if Lua runs out of memory.
int read_and_push(lua_State* L, const char* prompt) {
  static std::string line;
  switch (read_line(prompt, line)) {
    case LineEnd::line:
      lua_pushlstring(L, line.data(), line.size());
      return 1;
    case LineEnd::end_of_input:
      lua_pushnil(L);
      lua_pushliteral(L, "end");
      return 2;
    case LineEnd::interrupt:
      lua_pushnil(L);
      lua_pushliteral(L, "interrupt");
      return 2;
  }
  return 0;
}

int read_a_line(lua_State* L) { return read_and_push(L, luaL_checkstring(L, 1)); }

/// Pasted lines arrive at once; many lines arrive in chunks.
int has_input(lua_State* L) {
  constexpr int kPatience = 10;  // milliseconds
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const bool pasted = has_pasted();
  lua_pushboolean(L, pasted || (isatty(STDIN_FILENO) && poll(&input, 1, kPatience) > 0 && (input.revents & POLLIN) != 0));
  lua_pushboolean(L, pasted);
  return 2;
}

int remember(lua_State* L) {
  add_history(luaL_checkstring(L, 1));
  return 0;
}

/// Reads the results of a completer on top of the stack: the text to insert and, if any, a table of candidates.
Completion take_completion(lua_State* L) {
  Completion found;
  if (const char* insert = lua_tostring(L, -2)) found.insert = insert;
  if (lua_istable(L, -1)) {
    for (size_t i = 1; i <= lua_objlen(L, -1); ++i) {
      lua_rawgeti(L, -1, static_cast<int>(i));
      if (const char* name = lua_tostring(L, -1)) found.candidates.emplace_back(name);
      lua_pop(L, 1);
    }
  }
  return found;
}

int choose_completer(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  const int function = luaL_ref(L, LUA_REGISTRYINDEX);
  set_completer([L, function](const std::string& text) {
    const int top = lua_gettop(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, function);
    lua_pushlstring(L, text.data(), text.size());
    Completion found;
    if (lua_pcall(L, 1, 2, 0) == 0) found = take_completion(L);
    lua_settop(L, top);
    return found;
  });
  return 0;
}

int call(lua_State* L) {
  luaL_checkany(L, 2);
  const Ended ended = interruptible_call(L, lua_gettop(L) - 2, 1);
  lua_pushboolean(L, ended.status == 0);
  lua_replace(L, 1);
  if (ended.status != 0) lua_pushboolean(L, ended.interrupted);
  return lua_gettop(L);
}

int choose_engine(lua_State* L) {
  stop_ops_by(reinterpret_cast<int (*)(int)>(lua_touserdata(L, 1)), reinterpret_cast<int (*)()>(lua_touserdata(L, 2)));
  return 0;
}

int start_session(lua_State* L) {
  begin_session(L);
  return 0;
}

int resume(lua_State* L) {
  resume_session(L);
  return 0;
}

int width(lua_State* L) {
  const int columns = columns_of_terminal();
  if (columns == 0) return 0;
  lua_pushinteger(L, columns);
  return 1;
}

int now(lua_State* L) {
  lua_pushnumber(L, std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
  return 1;
}

}  // namespace

int open_terminal(lua_State* L) {
  constexpr luaL_Reg functions[] = {{"isTerminal", is_terminal},
                                    {"readLine", read_a_line},
                                    {"hasInput", has_input},
                                    {"addHistory", remember},
                                    {"setCompleter", choose_completer},
                                    {"call", call},
                                    {"stopOpsBy", choose_engine},
                                    {"beginSession", start_session},
                                    {"resumeSession", resume},
                                    {"width", width},
                                    {"now", now},
                                    {nullptr, nullptr}};
  lua_newtable(L);
  luaL_register(L, nullptr, functions);
  return 1;
}

}  // namespace th
