// Reads the arguments of a call on Lua's stack as the values that an op gets.
#pragma once

#include <optional>
#include <span>

#include "bindings/lua/call/lua_arguments.h"
#include "engine/arguments/convert.h"

namespace mt::lua {

// The values of one call, with room for the sizes and lists among them. They are the call's own, since it may be interrupted: Lua runs
// finalisers as it allocates, and these may call ops.
class LuaReader {
 public:
  static constexpr bool counts_from_1 = true;
  LuaReader(const BoundOp& bound, const LuaArguments& arguments, const Match& m)
      : bound_(bound), L(arguments.L), arguments_(arguments), m_(m), values_(reinterpret_cast<Value*>(room_)) {}

  // Reads all arguments. What is wrong with one is raised as a Lua error. A block of Lua's for a long list of tensors may stay on the
  // stack.
  [[gnu::always_inline]] void read() {
    if (convert_usual(*this, bound_.op->decl->signature, m_, values_)) read_others();
  }
  Value* values() { return values_; }
  uint8_t devices() const { return devices_; }  // of the tensors in lists, and those that are named, or'ed

  std::string_view op() const { return bound_.op->decl->name; }
  uint16_t kinds(int at) const { return arguments_.kinds[at]; }
  Tensor* tensor(int at, const Param&) const { return arguments_.tensors[at]; }
  bool plain_number(int at, Value& value) const {
    if (lua_type(L, at) != LUA_TNUMBER) return false;
    value.type = Value::Type::number;
    value.number = lua_tonumber(L, at);
    return true;
  }
  bool number(int at, Value& value) const { return read_number(L, *bound_.state, at, value); }
  Sizes sizes(int at, const Param& p);
  std::span<int64_t> writable(Sizes sizes) { return {sizes_[sizes_used_ - 1], sizes.size()}; }
  bool boolean(int at) const { return lua_toboolean(L, at) != 0; }
  std::string_view text(int at, const Param& p) const;
  static std::optional<DType> dtype(int, const Param&) { return std::nullopt; }  // Lua has names alone
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
  // Values are constructed where they are needed: an array of them would be cleared for every call.
  alignas(Value) std::byte room_[Signature::max_params * sizeof(Value)];
  Value* const values_;
  int64_t sizes_[2][max_dims];
  int sizes_used_ = 0;
  Tensor* few_[16];
  std::span<Tensor*> free_;  // room for the tensors of lists that are still to be read: of `few_`, or of a block of Lua's
  uint8_t devices_ = 0;
};

}  // namespace mt::lua
