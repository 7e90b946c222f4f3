// Converts the arguments of a call on Lua's stack to the values that ops accept.
#pragma once

#include <optional>
#include <span>

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/call/lua_arguments.h"
#include "bindings/lua/values/numbers.h"
#include "engine/arguments/convert.h"

namespace mt::lua {

// The values of one call, with memory for sizes and lists. Calls don't share this memory, because calls can be nested: Lua runs
// finalisers when it allocates, and these may call ops.
class LuaReader {
 public:
  static constexpr bool counts_from_1 = true;
  LuaReader(const BoundOp& bound, const LuaArguments& arguments, const Match& m)
      : bound_(bound), L(arguments.L), arguments_(arguments), m_(m), values_(reinterpret_cast<Value*>(room_)) {}

  // Reads all arguments; an invalid one raises a Lua error. For a long list of tensors, a block of memory from Lua may remain on the
  // stack.
  [[gnu::always_inline]] void read() {
    if (convert_usual(*this, bound_.op->decl->signature, m_, values_)) read_others();
  }
  Value* values() { return values_; }
  uint8_t devices() const { return devices_; }  // bitwise or of the devices of tensors in lists, and of device names

  std::string_view op() const { return bound_.op->decl->name; }
  uint16_t kinds(int at) const { return arguments_.kinds[at]; }
  Tensor* tensor(int at, const Param&) const { return arguments_.tensors[at]; }
  bool plain_number(int at, Value& value) const {
    if (lua_type(L, at) != LUA_TNUMBER) return false;
    value.type = Value::Type::number;
    value.number = lua_tonumber(L, at);
    return true;
  }
  bool number(int at, Value& value) {
    if (lua_type(L, at) == LUA_TBOOLEAN) {
      if ((kinds(at) & kind_number) == 0) return false;
      value.type = Value::Type::integer;
      value.integer = lua_toboolean(L, at);
      return true;
    }
    return read_any_number(L, *bound_.state, at, value, elements_[elements_used_]) &&
           (elements_used_ += value.type == Value::Type::element, true);
  }
  Sizes sizes(int at, const Param& p);
  std::span<int64_t> writable(Sizes sizes) { return {sizes_[sizes_used_ - 1], sizes.size()}; }
  bool boolean(int at) const { return lua_toboolean(L, at) != 0; }
  std::string_view text(int at, const Param& p) const;
  static std::optional<DType> dtype(int, const Param&) { return std::nullopt; }  // Lua passes dtypes as names
  DType own_dtype(const Value& value) const;
  void read_element_kind(Value& value, std::string_view text, DType own, const Param& p);
  std::span<Tensor* const> tensors(int at, const Param& p);
  Generator* generator(int at, const Param& p) const;
  std::string_view type_name(int at) const { return luaL_typename(L, at); }

 private:
  void read_others();

  const BoundOp& bound_;
  lua_State* L;
  const LuaArguments& arguments_;
  const Match& m_;
  // Values are constructed on demand: an array of them would be initialised for each call.
  alignas(Value) std::byte room_[Signature::max_params * sizeof(Value)];
  Value* const values_;
  int64_t sizes_[2][max_dims];
  int sizes_used_ = 0;
  ScalarValue elements_[Signature::max_params];  // complex numbers, uninitialised
  int elements_used_ = 0;
  Tensor* few_[16];
  std::span<Tensor*> free_;  // memory for tensors of lists that follow: part of few_, or of a block from Lua
  uint8_t devices_ = 0;
};

}  // namespace mt::lua
