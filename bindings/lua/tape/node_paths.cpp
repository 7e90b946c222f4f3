#include "bindings/lua/tape/node_paths.h"

#include <algorithm>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/native_tape.h"

namespace mt::lua {
namespace {

enum { roots_at = 1, wanted_at, seen_at, nodes_at };  // seen: node -> position in `met`, from 1; nodes: the reverse

// The position of the node at a stack index in `met`; adds it if it is new.
int meet(lua_State* L, State& state, PathSearch& search, int node) {
  lua_pushvalue(L, node);
  lua_rawget(L, seen_at);
  int position = static_cast<int>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  if (position != 0) return position;
  lua_rawgeti(L, node, slot::number);
  const double number = lua_tonumber(L, -1);
  lua_pushvalue(L, node);
  lua_rawget(L, wanted_at);
  const bool wanted = !lua_isnil(L, -1);
  lua_pop(L, 2);
  const bool released = is_released(L, node);
  guarded(L, state, [&] { search.met.push_back({number, 0, 0, released, wanted}); });
  position = static_cast<int>(search.met.size());
  lua_pushvalue(L, node);
  lua_rawseti(L, nodes_at, position);
  lua_pushvalue(L, node);
  lua_pushinteger(L, position);
  lua_rawset(L, seen_at);
  return position;
}

}  // namespace

int nodes_on_paths(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, roots_at, LUA_TTABLE);
  luaL_checktype(L, wanted_at, LUA_TTABLE);
  lua_settop(L, wanted_at);
  lua_newtable(L);
  lua_newtable(L);
  PathSearch& search = state.tape.search;
  search.met.clear();
  search.edges.clear();
  const auto count = static_cast<int>(lua_objlen(L, roots_at));
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, roots_at, i);
    if (is_node(L, nodes_at + 1)) meet(L, state, search, nodes_at + 1);
    lua_settop(L, nodes_at);
  }
  for (size_t at = 0; at < search.met.size(); ++at) {  // breadth first
    search.met[at].first_edge = static_cast<int>(search.edges.size());
    lua_rawgeti(L, nodes_at, static_cast<int>(at) + 1);
    each_edge(L, nodes_at + 1, [&](int edge) {
      const int position = meet(L, state, search, edge);
      guarded(L, state, [&] { search.edges.push_back(position - 1); });
    });
    search.met[at].edges = static_cast<int>(search.edges.size()) - search.met[at].first_edge;
    lua_settop(L, nodes_at);
  }
  guarded(L, state, [&] {
    search.order.resize(search.met.size());
    for (size_t i = 0; i < search.order.size(); ++i) search.order[i] = static_cast<int>(i);
    std::ranges::stable_sort(search.order, {}, [&](int at) { return search.met[static_cast<size_t>(at)].number; });
  });
  int released = 0;
  lua_newtable(L);
  for (const int at : search.order) {  // inputs come before the nodes computed from them
    PathSearch::Met& met = search.met[static_cast<size_t>(at)];
    if (met.released) released = at + 1;
    for (int k = 0; k < met.edges; ++k) {
      const int edge = search.edges[static_cast<size_t>(met.first_edge + k)];
      met.reaches = met.reaches || search.met[static_cast<size_t>(edge)].reaches;
    }
    if (!met.reaches) continue;
    lua_rawgeti(L, nodes_at, at + 1);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
  }
  if (released == 0) return 1;
  lua_rawgeti(L, nodes_at, released);
  return 2;
}

}  // namespace mt::lua
