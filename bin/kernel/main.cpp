// moontorch-kernel: LuaJIT with Moontorch, for Jupyter. Code that need not be native is in lua/notebook.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <lua.hpp>
#include <xeus/xkernel.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <zmq.hpp>

#include "bin/th/interrupt.h"
#include "bin/th/location.h"
#include "bin/th/state.h"
#include "frontend.h"
#include "interpreter.h"
#include "server.h"
#include "signals.h"

namespace {

/// Runs in protected mode: returns the kernel's table and the connection file's name, or an exit status.
int run_command(lua_State* L) {
  const th::Start& start = *static_cast<const th::Start*>(lua_touserdata(L, 1));
  th::push_command(L, start, "notebook.command");
  lua_pushstring(L, start.place.program.c_str());
  lua_call(L, 2, 1);
  if (lua_type(L, -1) != LUA_TSTRING) return 1;
  kernel::open_frontend(L);
  th::push_require(L);
  lua_pushliteral(L, "notebook.kernel");
  lua_call(L, 1, 1);
  lua_insert(L, -2);
  return 2;
}

// Objects to close at exit; xeus itself ends the process when the frontend requests it.
struct Open {
  lua_State* L = nullptr;
  kernel::Interpreter* interpreter = nullptr;
} at_exit;

/// Closes them, unless a user's program ends the process: then its state is in use.
void close_at_exit() {
  if (at_exit.interpreter == nullptr || at_exit.interpreter->is_running()) return;
  kernel::use_interpreter(nullptr);
  at_exit.interpreter->stop_output();
  lua_close(at_exit.L);
}

/// Serves the frontend of a connection file until it requests a shutdown.
void serve(lua_State* L, const std::string& connection) {
  const xeus::xconfiguration configuration = xeus::load_configuration(connection);
  th::keep_process();
  auto interpreter = std::make_unique<kernel::Interpreter>(L);
  at_exit = {L, interpreter.get()};
  kernel::use_interpreter(interpreter.get());
  xeus::xkernel kernel(configuration, xeus::get_user_name(), xeus::make_context<zmq::context_t>(), std::move(interpreter),
                       kernel::make_server, xeus::make_in_memory_history_manager(), nullptr, xeus::make_null_debugger,
                       nlohmann::json::object(), nlohmann::json::error_handler_t::replace);
  std::atexit(close_at_exit);
  kernel.start();
}

int run(lua_State* L, th::Start& start) {
  lua_pushcfunction(L, run_command);
  lua_pushlightuserdata(L, &start);
  if (lua_pcall(L, 1, LUA_MULTRET, 0) != 0) {
    std::fprintf(stderr, "moontorch-kernel: %s\n", lua_tostring(L, -1));
    return 1;
  }
  if (lua_type(L, -1) != LUA_TSTRING) return static_cast<int>(lua_tointeger(L, -1));
  const std::string connection = lua_tostring(L, -1);
  lua_pop(L, 1);
  try {
    serve(L, connection);
  } catch (const std::exception& error) {
    at_exit = {};
    std::fprintf(stderr, "moontorch-kernel: the connection file %s: %s\n", connection.c_str(), error.what());
    return 1;
  }
  at_exit = {};
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<th::Location> place = th::locate(argv[0]);
  if (!place) {
    std::fprintf(stderr,
                 "moontorch-kernel: the Lua files were not found: not in ../share/moontorch/lua or ../../../lua from the folder of %s\n",
                 argv[0]);
    return 1;
  }
  kernel::prepare_signals();
  kernel::replace_standard_input();
  lua_State* L = luaL_newstate();
  if (!L) {
    std::fprintf(stderr, "moontorch-kernel: not enough memory for a Lua state\n");
    return 1;
  }
  th::Start start{argc, argv, *place};
  const int status = run(L, start);
  lua_close(L);
  return status;
}
