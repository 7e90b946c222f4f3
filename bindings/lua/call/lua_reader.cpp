#include "bindings/lua/call/lua_reader.h"

#include <algorithm>
#include <iterator>

#include "bindings/lua/call/integer_arguments.h"
#include "bindings/lua/values/defaults.h"
#include "bindings/lua/values/devices.h"
#include "bindings/lua/values/generators.h"
#include "bindings/lua/values/tensor_list.h"
#include "bindings/lua/values/type_names.h"

namespace mt::lua {

Sizes LuaReader::sizes(int at, const Param& p) {
  MT_ASSERT(sizes_used_ < 2);
  int64_t* const sizes = sizes_[sizes_used_++];
  int32_t count = 0;
  if (!read_sizes(L, *bound_.state, at, m_.last_of_sizes, op(), p.name, sizes, &count)) {
    const Tensor* const given = test_tensor(L, at);
    const std::string what = given != nullptr ? lua::type_name(*given) : std::string(type_name(at));
    refuse_argument<Status::range>(op(), p.name, what, "whole numbers, a LongStorage or a table of them, at most ", max_dims);
  }
  return {sizes, static_cast<size_t>(count)};
}

std::string_view LuaReader::text(int at, const Param&) const {
  size_t length;
  const char* text = lua_tolstring(L, at, &length);
  return {text, length};
}

DType LuaReader::own_dtype(const Value& value) const {
  const Tensor* target = m_.results[0] != 0 ? arguments_.tensors[m_.results[0]] : nullptr;
  return mt::own_dtype(target, {values_, static_cast<size_t>(&value - values_)}, bound_.state->defaults.dtype);
}

// The first use of a device's name loads its library.
void LuaReader::read_element_kind(Value& value, std::string_view text, DType own, const Param& p) {
  const State& state = *bound_.state;
  bool known = true;
  try {
    mt::read_element_kind(value, text, own, op(), p.name);
  } catch (const Error&) {  // bring_device calls Lua, which is not allowed inside a catch block
    known = false;
  }
  if (!known) {
    load_device(L, state, text, op(), p.name);
    mt::read_element_kind(value, text, own, op(), p.name);
  }
  if (state.defaults.inferring && names_place(value)) name_device(value, meta_device);
  devices_ |= place_of(value, state.defaults.device);
}

std::span<Tensor* const> LuaReader::tensors(int at, const Param& p) {
  if (TensorList* const list = test_tensor_list(L, at)) {
    if (bound_.forward != LUA_NOREF || bound_.op->decl->differentiable) refuse_argument(op(), p.name, "a list of the library", "a table");
    for (const Tensor* t : list->span()) devices_ |= t->device();
    return list->span();
  }
  const std::span<Tensor*> room = free_;
  size_t count = 0;
  for (int i = 1;; ++i) {
    lua_rawgeti(L, at, i);
    Tensor* t = test_tensor(L, -1);
    const int type_tag = t == nullptr ? lua_type(L, -1) : LUA_TUSERDATA;
    lua_pop(L, 1);  // the table keeps the tensor alive
    if (type_tag == LUA_TNIL) break;
    const char* const type = t == nullptr ? lua_typename(L, type_tag) : "";
    if (t == nullptr) refuse_argument(op(), p.name, concat(type, " as element ", i), "a tensor");
    if (count == room.size()) refuse_argument(op(), p.name, "a table that changed while it was read", "one that does not");
    devices_ |= t->device();
    room[count++] = t;
  }
  free_ = room.subspan(count);
  return room.first(count);
}

Generator* LuaReader::generator(int at, const Param&) const { return test_generator(L, *bound_.state, at); }

void LuaReader::read_others() {
  const Signature& signature = bound_.op->decl->signature;
  size_t listed = 0;
  for (int i = 0; i < signature.count; ++i) {
    if (m_.args[i] != 0 && lua_istable(L, m_.args[i])) listed += lua_objlen(L, m_.args[i]);
  }
  if (listed <= std::size(few_))
    free_ = few_;
  else
    free_ = {static_cast<Tensor**>(lua_newuserdata(L, listed * sizeof(Tensor*))), listed};
  const std::span<Tensor*> room = free_;
  int reading = 0;  // the argument that f is reading
  bool again = false;
  const auto which = [&]() -> Reading {
    const int first = m_.args[reading];
    return {first, signature.params[reading].takes(kind_sizes) ? std::max(first, m_.last_of_sizes) : first};
  };
  guarded_whole(L, *bound_.state, which, [&] {
    if (again) [[unlikely]] {
      convert_usual(*this, signature, m_, values_);
      sizes_used_ = 0;
      free_ = room;
    }
    again = true;
    for (int i = 0; i < signature.count; ++i) {
      if (m_.args[i] == 0 || values_[i].type != Value::Type::none) continue;
      reading = i;
      convert(*this, signature.params[i], m_.args[i], values_[i]);
      if (values_[i].type != Value::Type::tensors) continue;
      if (const TensorList* list = test_tensor_list(L, m_.args[i])) values_[i].distinct = list->distinct;
    }
  });
}

}  // namespace mt::lua
