// Ctrl-C sets a debug hook, and the engine's flag for ops. LuaJIT's compiled code doesn't check hooks, but code compiled while its profiler
// is on has exits for the profiler's signal: a session switches the profiler on, with a period that never ends, and sends that signal
// itself. In scripts those exits would make small loops up to 1.5 times slower; there a timer detects compiled code that has not stopped,
// and ends the process.
#include "interrupt.h"

#include <fcntl.h>
#include <luajit.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef __linux__
#include <ucontext.h>
#endif

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace th {
namespace {

constexpr int kInterruptedStatus = 130;
constexpr int kFirstLook = 200'000, kNextLook = 20'000;  // microseconds after the first press
constexpr int kLooksUntilWord = 25;

// Signal handlers can access only global variables.
lua_State* volatile running = nullptr;
const void* volatile error_handler = nullptr;
int (*volatile ask_ops)(int) = nullptr;
int (*volatile runs_generated_code)() = nullptr;
volatile sig_atomic_t in_session = 0;
volatile sig_atomic_t process_stays = 0;
volatile sig_atomic_t unanswered = 0;
volatile sig_atomic_t presses = 0;  // since the call began
volatile sig_atomic_t looks = 0;
volatile sig_atomic_t watched = 0;  // whether the timer runs
struct sigaction others_alarm;

template <size_t n> void say(const char (&text)[n]) {
  if (write(STDERR_FILENO, text, n - 1) < 0) return;  // standard error is closed
}

bool is_error_handler(lua_State* L, lua_Debug* ar) {
  if (ar->event != LUA_HOOKCALL || lua_getinfo(L, "f", ar) == 0) return false;
  const bool same = lua_topointer(L, -1) == error_handler;
  lua_pop(L, 1);
  return same;
}

/// A pcall around a loop may catch the first error; from the second press on, the hook stays for the whole call, so that no pcall stops it.
/// If an op has raised the error itself, that handles the first press, and any press if its error reaches the end of the call.
void stop(lua_State* L, lua_Debug* ar) {
  const bool arrived = is_error_handler(L, ar);
  unanswered = 0;
  if (presses < 2 || arrived) {
    lua_sethook(L, nullptr, 0, 0);
    const bool op_answered = ask_ops && ask_ops(0) == 0;
    if (arrived || op_answered) return;
  }
  luaL_error(L, "interrupted!");
}

void stop_looking() {
  if (!watched) return;
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &others_alarm, nullptr);
  watched = 0;
}

uintptr_t program_counter([[maybe_unused]] const void* context) {
#if defined(__linux__) && defined(__x86_64__)
  return static_cast<uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

/// Reads a line, truncated to `room` bytes.
bool read_maps_line(int file, char* line, size_t room) {
  size_t length = 0;
  char c;
  while (read(file, &c, 1) == 1 && c != '\n') {
    if (length + 1 < room) line[length++] = c;
  }
  line[length] = 0;
  return length > 0;
}

/// Whether an address is in executable memory without a file: in generated code. Uses only read(), for signal handlers.
bool is_generated(uintptr_t address) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool found = false;
  char line[128];
  while (!found && read_maps_line(file, line, sizeof line)) {
    const auto hexadecimal = [&line](size_t at, uintptr_t& value) {
      for (value = 0; line[at] != 0 && std::strchr("0123456789abcdef", line[at]) != nullptr; ++at)
        value = value * 16 + static_cast<uintptr_t>(line[at] <= '9' ? line[at] - '0' : line[at] - 'a' + 10);
      return at;
    };
    uintptr_t first, last;
    const size_t dash = hexadecimal(0, first), blank = hexadecimal(dash + 1, last);
    if (address < first || address >= last) continue;
    // "first-last rwxp offset device inode   path"
    found =
        std::strlen(line) > blank + 3 && line[blank + 3] == 'x' && std::strchr(line, '/') == nullptr && std::strchr(line, '[') == nullptr;
    break;
  }
  close(file);
  return found;
}

/// Runs some time after an unhandled Ctrl-C. Ends the process if compiled code of a script runs, which holds no resources; otherwise tells
/// the user that the running call must end first.
void look(int, siginfo_t*, void* context) {
  if (unanswered == 0) return stop_looking();
  looks = looks + 1;
  if (!in_session && !(runs_generated_code && runs_generated_code()) && is_generated(program_counter(context))) {
    std::fflush(nullptr);
    say("\nth: interrupted! (in a compiled loop, which knows no line)\n");
    _exit(kInterruptedStatus);
  }
  if (looks == kLooksUntilWord && unanswered == 1) say("\nstops as soon as the call that runs is done\n");
}

void begin_looking() {
  if (watched) return;
  watched = 1;
  looks = 0;
  struct sigaction action = {};
  action.sa_sigaction = look;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, &others_alarm);
  const itimerval often = {{0, kNextLook}, {0, kFirstLook}};
  setitimer(ITIMER_REAL, &often, nullptr);
}

void handle(int) {
  lua_State* L = running;
  if (!L) return;
  unanswered = unanswered + 1;
  presses = presses + 1;
  if (ask_ops) ask_ops(presses < 2 ? 1 : 2);
  lua_sethook(L, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
  if (in_session) raise(SIGPROF);
  if (unanswered > 1 && process_stays) {
    say("\nstill running; a restart of the kernel ends it\n");
  } else if (unanswered > 1) {
    signal(SIGINT, SIG_DFL);
    say("\nstill running; Ctrl-C again ends the program\n");
  }
  begin_looking();
}

void watch() {
  struct sigaction action = {};
  action.sa_handler = handle;  // without SA_RESTART, so that a blocking read ends
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

void ignore_sample(void*, lua_State*, int, int) {}

}  // namespace

Ended interruptible_call(lua_State* L, int count, int handler) {
  lua_State* const outer = running;
  const void* const outer_handler = error_handler;
  unanswered = 0;
  presses = 0;
  error_handler = lua_topointer(L, handler);
  watch();
  running = L;
  const int status = lua_pcall(L, count, LUA_MULTRET, handler);
  running = outer;
  error_handler = outer_handler;
  const Ended ended{status, presses > 0};
  stop_looking();
  if (!outer || presses > 0) lua_sethook(L, nullptr, 0, 0);
  if (presses > 0 && ask_ops) ask_ops(0);
  if (!outer && !in_session) signal(SIGINT, SIG_DFL);
  return ended;
}

void begin_session(lua_State* L) {
  in_session = 1;
  watch();
  signal(SIGPROF, SIG_IGN);  // if a user's profiler stops, the session's signal must not end the process
  luaJIT_profile_start(L, "li1000000000", ignore_sample, nullptr);
}

void keep_process() { process_stays = 1; }

void resume_session(lua_State* L) {
  if (in_session) begin_session(L);
}

void stop_ops_by(int (*ask)(int), int (*runs)()) {
  ask_ops = ask;
  runs_generated_code = runs;
}

}  // namespace th
