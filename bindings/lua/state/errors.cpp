#include "bindings/lua/state/errors.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/outgoing_texts.h"
#include "engine/core/interrupt.h"

namespace mt::lua {

void Errors::keep() noexcept {
  status = Status::invalid;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    status = Status::memory;
    message = "out of memory";
  } catch (const Interrupted& e) {
    interrupt_reported();
    status = e.status();
    message = e.what();
  } catch (const Error& e) {
    status = e.status();
    message = e.what();
  } catch (const std::exception& e) {
    message = e.what();
  } catch (...) {
    message = "unknown error in the engine";
  }
}

bool Errors::raised_in(std::string_view text) const { return !raised.empty() && text.find(raised) != std::string_view::npos; }

void keep_message(State& state) noexcept { state.errors.keep(); }

void push_place(lua_State* L, const State& state) {
  const auto is_ours = [&](const void* upvalue) { return upvalue == &state || state.ops.find(upvalue) != nullptr; };
  int level = 1;
  lua_Debug ar;
  for (; lua_getstack(L, level, &ar) != 0; ++level) {
    lua_getinfo(L, "f", &ar);
    const bool has_upvalue = lua_iscfunction(L, -1) != 0 && lua_getupvalue(L, -1, 1) != nullptr;
    const bool passes_on = has_upvalue && is_ours(lua_touserdata(L, -1));
    lua_pop(L, has_upvalue ? 2 : 1);
    if (!passes_on) break;
  }
  luaL_where(L, level);
}

void raise_message(lua_State* L, State& state) {
  state.errors.raised = state.errors.message;
  state.texts.push(L, std::move(state.errors.message));
  push_place(L, state);
  lua_insert(L, -2);
  lua_concat(L, 2);
  lua_error(L);
  std::abort();  // lua_error does not return
}

}  // namespace mt::lua
