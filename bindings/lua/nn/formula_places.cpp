#include "bindings/lua/nn/formula_places.h"

#include <algorithm>

#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/memory_account.h"
#include "bindings/lua/tape/recording.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/image_layout.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

using From = Formula::Operand::From;

// The value on top of the stack is from a field that stores a result of a forward. If a call on the tape has stored it, replaces it by the
// tensor that it had replaced.
void push_replaced(lua_State* L) {
  if (!lua_isuserdata(L, -1)) return;
  push_entry(L, replaced_entry);
  lua_pushvalue(L, -2);
  lua_rawget(L, -2);
  lua_remove(L, -2);
  lua_remove(L, lua_toboolean(L, -1) != 0 ? -2 : -1);
}

// Whether a tensor of an earlier pass can be overwritten: its memory is not shared, and it has the layout of a new result.
bool is_reusable(const Tensor& held, const Tensor& kind) {
  if (held.tracked() || !same_kind(held, kind) || !is_exclusive(held)) return false;
  return layout_of(kind) == ImageLayout::channels_first ? held.is_contiguous() : layout_of(held) == ImageLayout::channels_last;
}

}  // namespace

int push_operands(lua_State* L, const Formula& formula, int values, int names) {
  const int first = lua_gettop(L) + 1, last_value = names - 1;
  luaL_checkstack(L, static_cast<int>(formula.operands.size()) + 60, "formula");
  for (const Formula::Operand& operand : formula.operands) {
    switch (operand.from) {
      case From::output:
        push_own(L, output_name);
        break;
      case From::input:
        lua_pushvalue(L, input_at);
        break;
      case From::target:
        lua_pushvalue(L, target_at);
        break;
      case From::entry:
        if (lua_istable(L, input_at))
          lua_rawgeti(L, input_at, operand.index);
        else
          lua_pushnil(L);
        break;
      case From::value:
        if (values + operand.index <= last_value)
          lua_pushvalue(L, values + operand.index);
        else
          lua_pushnil(L);
        break;
      case From::field:
        lua_rawgeti(L, names, operand.index);
        lua_gettable(L, self_at);
        break;
      case From::kept:
        lua_rawgeti(L, names, operand.index);
        lua_gettable(L, self_at);
        push_replaced(L);
        break;
    }
  }
  return first;
}

const Tensor* kind_of_input(lua_State* L, const Formula& formula, int operands, const Tensor* otherwise) {
  if (otherwise != nullptr && lua_isnil(L, input_at)) return otherwise;
  if (formula.entries > 0 ? !lua_istable(L, input_at) || static_cast<int>(lua_objlen(L, input_at)) != formula.entries
                          : test_tensor(L, input_at) == nullptr)
    return nullptr;
  if (formula.entries == 0 && formula.dims != 0 && (formula.dims >> std::min(test_tensor(L, input_at)->dim(), 31) & 1) == 0) return nullptr;
  const Tensor *kind = nullptr, *entry = nullptr;
  for (size_t i = 1; i < formula.operands.size(); ++i) {
    const Tensor* t = test_tensor(L, operands + static_cast<int>(i));
    const From from = formula.operands[i].from;
    if (from == From::entry) {
      if (t == nullptr || (formula.alike && entry != nullptr && !entry->same_sizes(*t))) return nullptr;
      entry = t;
    }
    if (t == nullptr || !is_float(t->dtype())) continue;
    if (kind != nullptr && !same_kind(*kind, *t)) return nullptr;
    if (kind == nullptr) kind = t;
  }
  if (kind != nullptr && formula.composed && info(kind->dtype()).size == 2) return nullptr;
  return kind;
}

int sharing_operand(lua_State* L, const Formula& formula, int operands, const Tensor& made, size_t first) {
  for (size_t i = first; i < formula.operands.size(); ++i) {
    const int at = operands + static_cast<int>(i);
    const Tensor* t = test_tensor(L, at);
    if (t != nullptr && shares_memory(*t, made)) return at;
  }
  return 0;
}

bool is_inplace(lua_State* L, const Formula& formula) {
  if (!formula.inplace) return false;
  push_own(L, inplace_name);
  const bool inplace = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return inplace;
}

Place place_at_top(lua_State* L, State& state, const Tensor* kind, int type, const Tensor* beside) {
  Place place{lua_gettop(L)};
  place.tensor = test_tensor(L, place.at);
  const auto fits = [&](const Tensor& t) {
    const bool right_type = type == any_type || type == static_cast<int>(t.dtype());
    return right_type && (beside == nullptr || device_kind(beside->device()) == device_kind(t.device()));
  };
  if (place.tensor == nullptr || place.tensor->tracked() || !fits(*place.tensor)) {
    place.tensor = &push_raw_tensor(L, state);
    lua_replace(L, place.at);
    place.fresh = true;
  }
  place.given = kind != nullptr && !place.fresh && is_reusable(*place.tensor, *kind);
  return place;
}

bool settle(OpHook* hook, const Place& place, Tensor& made) {
  if (place.given) return true;
  if (!place.fresh && !same_class(*place.tensor, made)) return false;
  if (!place.fresh) leave_ring(*place.tensor);
  place.tensor->set_type(made.dtype(), made.device());
  call_set(hook, *place.tensor, made);
  made.clear();  // so that the tensor in Lua is the only owner of its memory
  return true;
}

void finish(lua_State* L, State& state, const Place& place, int source) {
  if (place.fresh) set_class(L, state, place.at, *place.tensor);
  if (source != 0)
    join(*place.tensor, *test_tensor(L, source));
  else if (place.given)
    state.account.claim(*place.tensor);
  else
    state.collector.note_allocation(L, *place.tensor);
}

void set_own(lua_State* L, int name, int value) {
  lua_pushvalue(L, name);
  lua_pushvalue(L, value);
  lua_settable(L, self_at);
}

void alias(lua_State* L, State& state, const Place& place, int source) {
  Tensor& shown = *test_tensor(L, source);
  leave_ring(*place.tensor);
  guarded(L, state, [&] {
    place.tensor->set_type(shown.dtype(), shown.device());
    call_set(state.hook, *place.tensor, shown);
  });
  if (place.fresh) set_class(L, state, place.at, shown);
  join(*place.tensor, shown);
}

void place_kept(lua_State* L, State& state, const Formula& formula, int names, Place* places) {
  for (size_t i = 0; i < formula.kept.size(); ++i) {
    lua_rawgeti(L, names, formula.kept[i]);
    lua_gettable(L, self_at);
    push_replaced(L);
    places[i] = place_at_top(L, state, nullptr, formula.kept_types[i]);
  }
}
bool settle_kept(OpHook* hook, Formula& formula, const Place* places, Tensor* results) {
  bool done = true;
  for (size_t i = 0; i < formula.kept.size(); ++i) {
    Tensor& result = results[formula.forward->graph().outputs[i + 1].index];
    formula.kept_types[i] = static_cast<int>(result.dtype());
    done = settle(hook, places[i], result) && done;
  }
  return done;
}
void finish_kept(lua_State* L, State& state, const Formula& formula, int names, const Place* places) {
  for (size_t i = 0; i < formula.kept.size(); ++i) {
    finish(L, state, places[i], 0);
    lua_rawgeti(L, names, formula.kept[i]);
    set_own(L, lua_gettop(L), places[i].at);
  }
}

}  // namespace mt::lua
