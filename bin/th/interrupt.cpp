// Ctrl-C by a debug hook. LuaJIT's compiled code does not look at hooks, but code compiled while its profiler is on has exits
// for the profiler's signal: a session turns the profiler on, with a period that never ends, and sends that signal itself.
// A script is left alone, since those exits cost time; there a second Ctrl-C ends the process.
#include "interrupt.h"

#include <luajit.h>
#include <unistd.h>

#include <csignal>

namespace th {
namespace {

// A signal handler can reach nothing but globals.
lua_State* volatile running = nullptr;
volatile sig_atomic_t in_session = 0;
volatile sig_atomic_t unanswered = 0;
volatile sig_atomic_t presses = 0;  // since the call began

void stop(lua_State* L, lua_Debug*) {
  // A pcall around the loop takes the first error for one of its own; from the second press on none does: the hook stays for the call.
  if (presses < 2) lua_sethook(L, nullptr, 0, 0);
  unanswered = 0;
  luaL_error(L, "interrupted!");
}

void handle(int) {
  constexpr char kHint[] = "\nstill running; Ctrl-C again ends the program\n";
  lua_State* L = running;
  if (!L) return;
  unanswered = unanswered + 1;
  presses = presses + 1;
  lua_sethook(L, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
  if (in_session) raise(SIGPROF);
  if (!in_session || unanswered > 1) signal(SIGINT, SIG_DFL);
  if (in_session && unanswered > 1 && write(STDERR_FILENO, kHint, sizeof kHint - 1) < 0) unanswered = 2;
}

void watch() {
  struct sigaction action = {};
  action.sa_handler = handle;  // without SA_RESTART: a read that waits for input gives up
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

void ignore_sample(void*, lua_State*, int, int) {}

}  // namespace

int interruptible_call(lua_State* L, int count, int handler) {
  lua_State* const outer = running;
  unanswered = 0;
  presses = 0;
  watch();
  running = L;
  const int status = lua_pcall(L, count, LUA_MULTRET, handler);
  running = outer;
  if (!outer || presses > 0) lua_sethook(L, nullptr, 0, 0);
  if (!outer && !in_session) signal(SIGINT, SIG_DFL);
  return status;
}

void begin_session(lua_State* L) {
  in_session = 1;
  watch();
  signal(SIGPROF, SIG_IGN);  // should a profiler of the user's stop, ours must not end the process
  luaJIT_profile_start(L, "li1000000000", ignore_sample, nullptr);
}

}  // namespace th
