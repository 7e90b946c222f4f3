#include "bindings/lua/profile/places.h"

#include <algorithm>
#include <cmath>

#include "bindings/lua/graph/running_line.h"
#include "bindings/lua/state/state.h"
#include "bindings/lua/tape/backward_pass.h"
#include "engine/core/error.h"

namespace mt::lua {

int Texts::number(std::string_view text) {
  if (text.empty()) return 0;
  const auto [found, is_new] = numbers_.try_emplace(std::string(text), static_cast<int>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return found->second;
}

void Places::begin(lua_State* L, const State& state, std::string home, bool lines) {
  *this = Places();
  state_ = &state;
  L_ = L;
  home_ = std::move(home);
  lines_ = lines;
  lua_pushthread(L);
  thread_ = luaL_ref(L, LUA_REGISTRYINDEX);
}

void Places::end(lua_State* L) {
  luaL_unref(L, LUA_REGISTRYINDEX, thread_);
  thread_ = LUA_NOREF;
  L_ = nullptr;
}

size_t Places::enter(int module, bool backward) {
  running_.push_back({module, backward});
  return running_.size() - 1;
}

void Places::leave(size_t count) { running_.resize(std::min(count, running_.size())); }

// A node of a function of the program has a later number than the calls inside of the function: the last of them stands for it.
const Places::Recorded* Places::recorded(double node) const {
  const auto after = std::ranges::upper_bound(recorded_, node, {}, &Recorded::node);
  return std::isfinite(node) && after != recorded_.begin() ? &*std::prev(after) : nullptr;
}

Place Places::here() {
  Place place;
  const RunningLine line = lines_ ? running_line(L_, home_) : RunningLine();
  if (line.number > 0) place.line = texts.number(concat(line.file, ":", line.number));
  if (!running_.empty()) {
    place.module = running_.back().module;
    place.backward = running_.back().backward;
  }
  const NativeTape& tape = state_->tape;
  if (tape.depth > 0) {
    place.backward = true;
    if (const Recorded* const call = recorded(tape.passes[tape.depth - 1]->running)) {
      place.forward = call->op;
      place.forward_line = call->line;
      place.forward_module = call->module;
    }
  }
  return place;
}

Place Places::of(const Decl& op) {
  const Place place = here();
  const double next = state_->tape.last_number + 1;
  const Recorded call{next, &op, place.line, place.module};
  if (!recorded_.empty() && recorded_.back().node == next)
    recorded_.back() = call;
  else
    recorded_.push_back(call);
  return place;
}

std::vector<int> Places::stack() {
  std::vector<int> frames;
  lua_Debug ar;
  for (int level = 0; lua_getstack(L_, level, &ar) != 0; ++level) {
    lua_getinfo(L_, "nSl", &ar);
    if (ar.currentline <= 0) continue;
    const std::string_view name = ar.name != nullptr ? ar.name : *ar.what == 'm' ? "main chunk" : "function";
    frames.push_back(texts.number(concat(name, " (", static_cast<const char*>(ar.short_src), ":", ar.currentline, ")")));
  }
  std::ranges::reverse(frames);
  return frames;
}

}  // namespace mt::lua
