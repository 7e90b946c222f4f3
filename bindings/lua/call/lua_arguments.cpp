#include "bindings/lua/call/lua_arguments.h"

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/values/generators.h"
#include "bindings/lua/values/numbers.h"
#include "bindings/lua/values/tensor_list.h"
#include "bindings/lua/values/type_names.h"
#include "engine/arguments/messages.h"

namespace mt::lua {

uint16_t kinds_of(lua_State* L, int index) {
  constexpr int cdata = 10;  // LuaJIT's type of FFI objects
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      return kind_boolean;
    case LUA_TSTRING:
      return static_cast<uint16_t>(kind_string | kind_dtype | (lua_isnumber(L, index) ? any_number : 0));
    case LUA_TTABLE:
      return is_class(L, index) ? 0 : kind_sizes | kind_tensors;
    case LUA_TUSERDATA:
      if (test_storage(L, index) != nullptr) return kind_sizes;
      if (is_generator(L, index)) return kind_generator;
      if (test_tensor_list(L, index) != nullptr) return kind_tensors;
      return 0;
    case cdata:
      return any_number;
    default:
      return 0;
  }
}

bool find_pattern(std::span<const Pattern> patterns, const LuaArguments& arguments, Match& m) {
  for (const Pattern& pattern : patterns) {
    if (match(pattern, arguments, m)) return true;
  }
  return false;
}

namespace {

// Formats the arguments of a call for a message.
struct Shown {
  lua_State* L;
  const char* const* names;  // of their classes, or the text of numbers that are FFI data; index 1 is the first argument

  void append(std::string& text, int at) const {
    if (const Tensor* t = test_tensor(L, at))
      mt::append(text, concat(type_name(*t), " ", t->sizes()));
    else if (const StoragePtr* s = test_storage(L, at))
      mt::append(text, type_name(*s->get()));
    else if (lua_type(L, at) == LUA_TNUMBER)
      mt::append(text, lua_tonumber(L, at));
    else
      mt::append(text, names[at]);
  }
};

}  // namespace

void refuse(lua_State* L, const BoundOp& bound, int count) {
  const char* names[max_args + 1];
  luaL_checkstack(L, count + 4, "texts of numbers");
  for (int i = 1; i <= count; ++i) {
    names[i] = number_text(L, *bound.state, i);
    if (names[i] == nullptr) names[i] = class_name(L, i);
  }
  guarded(L, *bound.state, [&] { refuse_list(*bound.op, Shown{L, names}, count, expected_patterns(*bound.op, bound.patterns)); });
  std::abort();
}

}  // namespace mt::lua
