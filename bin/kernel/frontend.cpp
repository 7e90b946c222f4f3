// Functions for Lua. They catch all C++ exceptions, and raise Lua errors only in frames without destructors.
#include "frontend.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "json.h"

namespace kernel {
namespace {

Interpreter* interpreter = nullptr;  // one kernel per process
pthread_t asking_thread;

/// Runs `work`; if it throws, pushes the message and returns false.
template <class Work> bool attempt(lua_State* L, Work work) {
  try {
    work();
    return true;
  } catch (const std::exception& error) {
    lua_pushstring(L, error.what());
  }
  return false;
}

template <class Work> int guarded(lua_State* L, Work work) { return interpreter == nullptr || attempt(L, work) ? 0 : lua_error(L); }

nlohmann::json object_at(lua_State* L, int index) {
  return lua_istable(L, index) && lua_objlen(L, index) == 0 ? to_json(L, index) : nlohmann::json::object();
}

/// show(how, data, metadata, id): how is 'display', 'update' or 'result'.
int show(lua_State* L) {
  static constexpr const char* names[] = {"display", "update", "result", nullptr};
  const auto how = static_cast<Interpreter::Shown>(luaL_checkoption(L, 1, nullptr, names));
  luaL_checktype(L, 2, LUA_TTABLE);
  const char* id = luaL_optstring(L, 4, nullptr);
  return guarded(L, [&] {
    nlohmann::json transient = nlohmann::json::object();
    if (id) transient["display_id"] = id;
    interpreter->show(how, object_at(L, 2), object_at(L, 3), std::move(transient));
  });
}

/// clear(wait): removes the cell's output; with `wait`, only when there is new output.
int clear(lua_State* L) {
  const bool wait = lua_toboolean(L, 1) != 0;
  return guarded(L, [&] { interpreter->clear(wait); });
}

/// ask(prompt, password): returns the user's line, or nil and 'refused' or 'interrupt'.
int ask(lua_State* L) {
  static std::string line;  // static: not leaked if Lua is out of memory
  const char* prompt = luaL_optstring(L, 1, "");
  const bool password = lua_toboolean(L, 2) != 0;
  bool answered = false;
  guarded(L, [&] { answered = interpreter->ask(prompt, password, line); });
  if (!answered) lua_pushnil(L);
  lua_pushlstring(L, line.data(), line.size());
  return answered ? 1 : 2;
}

/// The read function of the new stdin: asks the user for one line at a time.
ssize_t read_input(void*, char* buffer, size_t room) {
  static std::string waiting;
  if (waiting.empty()) {
    if (interpreter == nullptr || !pthread_equal(pthread_self(), asking_thread)) return 0;
    bool answered = false;
    try {
      answered = interpreter->ask("", false, waiting);
    } catch (const std::exception&) {
      waiting = "refused";
    }
    if (!answered) {
      errno = waiting == "interrupt" ? EINTR : ENOTSUP;
      waiting.clear();
      return -1;
    }
    waiting += '\n';
  }
  const size_t count = std::min(room, waiting.size());
  std::memcpy(buffer, waiting.data(), count);
  waiting.erase(0, count);
  return static_cast<ssize_t>(count);
}

}  // namespace

void open_frontend(lua_State* L) {
  constexpr luaL_Reg functions[] = {{"show", show}, {"clear", clear}, {"ask", ask}, {nullptr, nullptr}};
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "loaded");
  lua_newtable(L);
  luaL_register(L, nullptr, functions);
  lua_setfield(L, -2, "moontorch.notebook.frontend");  // the name that torch.modules uses for this module
  lua_pop(L, 2);
}

void use_interpreter(Interpreter* chosen) {
  interpreter = chosen;
  asking_thread = pthread_self();
}

void replace_standard_input() {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
  cookie_io_functions_t functions = {};
  functions.read = read_input;
  if (FILE* file = fopencookie(nullptr, "r", functions)) stdin = file;
}

}  // namespace kernel
