// A region counts the first Ctrl-C, so that its program ends between two steps. Further presses reach the handler that was there before.
#include "bindings/lua/state/held_interrupts.h"

#include <unistd.h>

#include <csignal>

#include "bindings/lua/state/open.h"

namespace mt::lua {
namespace {

// A signal handler can access only global variables.
struct sigaction former;
volatile sig_atomic_t presses = 0;
volatile pid_t owner = 0;
int depth = 0;           // of regions inside each other
bool installed = false;  // by the outermost one

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((former.sa_flags & SA_SIGINFO) != 0) {
    former.sa_sigaction(signal, info, context);
  } else if (former.sa_handler != SIG_DFL) {
    former.sa_handler(signal);
  } else {
    sigaction(signal, &former, nullptr);
    raise(signal);
  }
}

void count_press(int signal, siginfo_t* info, void* context) {
  if (getpid() != owner) return;  // a process that was forked in the region: its parent ends it
  presses = presses + 1;
  if (presses > 1) return pass_on(signal, info, context);
  static const char text[] = "\nends after this step; Ctrl-C again interrupts at once\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;  // standard error is closed
}

// holdInterrupts(true) begins a region, holdInterrupts(false) ends it
int hold_interrupts(lua_State* L) {
  if (lua_toboolean(L, 1) != 0) {
    if (depth++ > 0) return 0;
    presses = 0;
    owner = getpid();
    sigaction(SIGINT, nullptr, &former);
    if ((former.sa_flags & SA_SIGINFO) == 0 && former.sa_handler == SIG_IGN) return 0;
    struct sigaction action = {};
    action.sa_sigaction = count_press;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    installed = sigaction(SIGINT, &action, nullptr) == 0;
  } else if (depth > 0 && --depth == 0 && installed) {
    sigaction(SIGINT, &former, nullptr);
    installed = false;
  }
  return 0;
}

// heldInterrupts() -> the number of presses in the outermost region
int held_interrupts(lua_State* L) {
  lua_pushinteger(L, presses);
  return 1;
}

}  // namespace

void open_held_interrupts(lua_State* L, State& state) {
  add_function(L, state, "holdInterrupts", hold_interrupts);
  add_function(L, state, "heldInterrupts", held_interrupts);
}

}  // namespace mt::lua
