// The places of calls, for hooks that observe a program: its line, the module that runs, and in a backward pass the call of the forward
// pass whose gradient is computed.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/decl.h"

namespace mt::lua {

struct State;

// Texts by number, from 1; 0 is no text.
class Texts {
 public:
  int number(std::string_view text);
  int count() const { return static_cast<int>(texts_.size()); }
  const std::string& text(int number) const { return texts_[static_cast<size_t>(number)]; }

 private:
  std::unordered_map<std::string, int> numbers_;
  std::vector<std::string> texts_{1};
};

struct Place {
  int line = 0;                   // among Places::texts: file:line of the program
  int module = 0;                 // the number that Lua gave to the innermost running module; 0: none
  bool backward = false;          // inside a backward pass, of the tape or of a module
  const Decl* forward = nullptr;  // in a backward pass of the tape: the op whose gradient is computed,
  int forward_line = 0;           // and where it was called
  int forward_module = 0;
};

class Places {
 public:
  Texts texts;

  // Begins to observe. `home` is the folder of Moontorch's Lua files; `lines`: places have lines. Keeps the running coroutine, whose stack
  // has them.
  void begin(lua_State* L, const State& state, std::string home, bool lines);
  void end(lua_State* L);

  // The program enters a method of a module; returns how many it was in before. leave() makes it that many again.
  size_t enter(int module, bool backward);
  void leave(size_t count);

  // The place of a call of an op that is about to run. Remembers it for the node that the tape may create for the call.
  Place of(const Decl& op);
  // The place of code that is no op.
  Place here();
  // The Lua functions that run, the outermost first, as numbers of texts "function (file:line)".
  std::vector<int> stack();

 private:
  struct Running {
    int module;
    bool backward;
  };
  struct Recorded {
    double node;
    const Decl* op;
    int line, module;
  };

  const Recorded* recorded(double node) const;

  const State* state_ = nullptr;
  lua_State* L_ = nullptr;
  int thread_ = LUA_NOREF;
  bool lines_ = true;
  std::string home_;
  std::vector<Running> running_;
  std::vector<Recorded> recorded_;  // by node; the last call before a node was created
};

}  // namespace mt::lua
