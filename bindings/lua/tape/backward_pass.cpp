#include "bindings/lua/tape/backward_pass.h"

#include <algorithm>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/memory_account.h"
#include "bindings/lua/values/metatables.h"
#include "engine/ops/accumulate.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

constexpr auto older = [](const Pass::Waiting& a, const Pass::Waiting& b) { return a.number < b.number; };

bool has_key(lua_State* L, int table, int key) {
  lua_pushvalue(L, key);
  lua_rawget(L, table);
  const bool found = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return found;
}

}  // namespace

int place_of(lua_State* L, const Pass& pass, int node) {
  if (!lua_istable(L, node)) luaL_error(L, meddled);
  lua_rawgeti(L, node, slot::gradient);
  const double place = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return place >= 1 && place <= static_cast<double>(pass.gradients.size()) ? static_cast<int>(place) : 0;
}

int take_place(lua_State* L, State& state, Pass& pass, int node) {
  lua_rawgeti(L, node, slot::number);
  const double number = lua_tonumber(L, -1);
  lua_pop(L, 1);
  if (!(number < pass.running)) luaL_error(L, meddled);  // inputs are older than the node, or the pass would not end
  int place = 0;
  guarded(L, state, [&] {
    if (pass.free.empty()) {
      pass.gradients.emplace_back();
      pass.free.reserve(pass.gradients.size());
      place = static_cast<int>(pass.gradients.size());
    } else {
      place = pass.free.back();
      pass.free.pop_back();
    }
    if (number == 0) {
      pass.leaves.push_back(place);
    } else {
      pass.line.push_back({number, place});
      if (pass.line.size() > 1) std::push_heap(pass.line.begin(), pass.line.end(), older);
    }
  });
  lua_pushvalue(L, node);
  lua_rawseti(L, nodes_at, place);
  lua_pushinteger(L, place);
  lua_rawseti(L, node, slot::gradient);
  return place;
}

void leave_place(lua_State* L, Pass& pass, int place) {
  pass.gradient(place).clear();
  if (!pass.several.empty()) pass.several.erase(place);
  if (pass.create) {
    lua_pushboolean(L, 0);
    lua_rawseti(L, tensors_at, place);
  }
  pass.free.push_back(place);
}

int take_node(lua_State* L, int place) {
  lua_rawgeti(L, nodes_at, place);
  const int node = lua_gettop(L);
  lua_pushboolean(L, 0);
  lua_rawseti(L, nodes_at, place);
  if (!lua_istable(L, node)) luaL_error(L, meddled);
  lua_pushboolean(L, 0);
  lua_rawseti(L, node, slot::gradient);
  return node;
}

void add_at(const State& state, Pass& pass, int place, const Tensor& g) {
  Tensor& held = pass.gradient(place);
  if (is_exclusive(held) && same_kind(held, g))
    add_scaled(state.hook, held, g);
  else
    held = sum_of(state.hook, held, g);
}

void deliver(lua_State* L, State& state, Pass& pass, int node, Tensor& g) {
  const int pending = place_of(L, pass, node);
  if (pending == 0) {
    pass.gradient(take_place(L, state, pass, node)) = std::move(g);
    return;
  }
  guarded(L, state, [&] { add_at(state, pass, pending, g); });
  g.clear();
}

void deliver_recorded(lua_State* L, State& state, Pass& pass, int node, int gradient) {
  int place = place_of(L, pass, node);
  if (place == 0) {
    place = take_place(L, state, pass, node);
    lua_pushvalue(L, gradient);
  } else {
    lua_getfield(L, helpers_at, "add");
    lua_rawgeti(L, tensors_at, place);
    lua_pushvalue(L, gradient);
    lua_call(L, 2, 1);
  }
  lua_rawseti(L, tensors_at, place);
}

void deliver_one_of_several(lua_State* L, State& state, Pass& pass, int owner, int position, int place) {
  int waiting = place_of(L, pass, owner);
  const bool is_first = waiting == 0;
  if (is_first) waiting = take_place(L, state, pass, owner);
  if (pass.create) {
    if (is_first) {
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_rawseti(L, tensors_at, waiting);
    } else {
      lua_rawgeti(L, tensors_at, waiting);
    }
    if (!lua_istable(L, -1)) luaL_error(L, meddled);
    lua_rawgeti(L, tensors_at, place);
    lua_rawseti(L, -2, position);
    lua_pop(L, 1);
    return;
  }
  guarded(L, state, [&] {
    std::vector<Tensor>& list = pass.several[waiting];
    if (list.size() < static_cast<size_t>(position)) list.resize(static_cast<size_t>(position));
    list[static_cast<size_t>(position) - 1] = std::move(pass.gradient(place));
  });
}

void push_gradient(lua_State* L, State& state, Pass& pass, int place) {
  if (pass.create) {
    lua_rawgeti(L, tensors_at, place);
    return;
  }
  const auto push = [&](Tensor& g) {
    Tensor& shared = push_tensor(L, state, g.dtype(), g.device());
    state.account.claim(g);
    guarded(L, state, [&] { call_set(state.hook, shared, g); });
  };
  const auto found = pass.several.empty() ? pass.several.end() : pass.several.find(place);
  if (found == pass.several.end()) {
    push(pass.gradient(place));
    return;
  }
  lua_newtable(L);
  for (size_t i = 0; i < found->second.size(); ++i) {
    if (found->second[i].storage() == nullptr && found->second[i].dim() == 0) continue;
    push(found->second[i]);
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
}

void set_aside(lua_State* L, const Pass& pass, bool aside) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, pass.nodes);
  for (size_t i = 1; i <= pass.gradients.size(); ++i) {
    lua_rawgeti(L, -1, static_cast<int>(i));
    if (lua_istable(L, -1)) {
      if (aside)
        lua_pushboolean(L, 0);
      else
        lua_pushinteger(L, static_cast<lua_Integer>(i));
      lua_rawseti(L, -2, slot::gradient);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

bool is_wanted(lua_State* L, int node) { return has_key(L, wanted_at, node); }

bool is_left_out(lua_State* L, const Pass& pass, int node) {
  if (pass.needs) return !has_key(L, needed_at, node);
  lua_rawgeti(L, node, slot::number);
  const bool old = lua_tonumber(L, -1) <= pass.since;
  lua_pop(L, 1);
  return old && !is_wanted(L, node);
}

}  // namespace mt::lua
