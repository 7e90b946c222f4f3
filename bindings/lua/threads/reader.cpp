// Converts a message into Lua values: creates all objects empty, then fills them.
#include <cstring>
#include <string_view>

#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/modules.h"
#include "bindings/lua/threads/context.h"
#include "bindings/lua/threads/names.h"
#include "bindings/lua/threads/objects.h"
#include "bindings/lua/values/containers.h"
#include "bindings/lua/values/generators.h"
#include "bindings/lua/values/metatables.h"

namespace mt::lua {
namespace {

class Reader {
 public:
  Reader(lua_State* L, Context& context, Message& message) : L_(L), context_(context), m_(message) {}

  void read() {
    luaL_checkstack(L_, static_cast<int>(m_.count) + most_on_stack + 20, "values from another thread");
    base_ = lua_gettop(L_);
    const auto count = static_cast<uint32_t>(m_.objects.size());
    in_table_ = count > most_on_stack;
    if (in_table_) lua_createtable(L_, static_cast<int>(count), 0);
    for (uint32_t i = 0; i < count; ++i) {
      make(m_.objects[i]);
      if (in_table_) lua_rawseti(L_, base_ + 1, static_cast<int>(i + 1));
    }
    const int pending = any_written_ ? base_ + static_cast<int>(in_table_ ? 1 : count) + 1 : 0;
    if (any_written_) lua_newtable(L_);
    for (uint32_t i = 0; i < m_.count; ++i) value();
    for (uint32_t i = 0; i < count; ++i) {
      const Message::Object& object = m_.objects[i];
      if (object.kind == Message::Kind::table)
        fill_table(object, i, pending);
      else if (object.kind == Message::Kind::function)
        fill_function(i);
    }
    if (any_written_) {
      lua_pushvalue(L_, pending);
      call_native(L_, "readAll", 0);
    }
    note_memory();
  }

 private:
  static constexpr uint32_t most_on_stack = 50;

  void push_object(uint32_t place) {
    if (in_table_)
      lua_rawgeti(L_, base_ + 1, static_cast<int>(place + 1));
    else
      lua_pushvalue(L_, base_ + 1 + static_cast<int>(place));
  }

  void make(const Message::Object& object) {
    switch (object.kind) {
      case Message::Kind::table:
        lua_createtable(L_, static_cast<int>(object.place), static_cast<int>(object.fields));
        if (object.meta == Message::Meta::written) any_written_ = true;
        return;
      case Message::Kind::function:
        return push_closure(L_, context_, *m_.codes[object.place]);
      case Message::Kind::tensor: {
        State& state = need_torch(L_);
        const Tensor& t = m_.tensors[object.place].tensor;
        Tensor& made = push_tensor(L_, state, t.dtype(), t.device());
        made = t;
        return;
      }
      case Message::Kind::storage: {
        State& state = need_torch(L_);
        return push_storage(L_, state, m_.memories[object.place].storage);
      }
      case Message::Kind::container:
        load_classes("tds");
        return push_container(L_, m_.containers[object.place]);
      case Message::Kind::generator:
        return push_generator(L_, need_torch(L_), m_.generators[object.place]);
      case Message::Kind::shared:
        load_classes("threads");
        return push_shared(L_, context_, m_.shared[object.place]);
      case Message::Kind::known:
        return push_named(L_, context_, m_.texts.data() + object.place, object.fields);
    }
  }

  void load_classes(const char* package) {
    push_module(L_, package);
    lua_pop(L_, 1);
  }

  template <class T> T take() {
    T value;
    std::memcpy(&value, m_.bytes.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  // Pushes the next value. At the end of an object returns false and pushes nothing.
  bool value() {
    switch (const auto tag = static_cast<Message::Tag>(m_.bytes[at_++]); tag) {
      case Message::nil:
        lua_pushnil(L_);
        return true;
      case Message::no:
      case Message::yes:
        lua_pushboolean(L_, tag == Message::yes ? 1 : 0);
        return true;
      case Message::number:
        lua_pushnumber(L_, take<lua_Number>());
        return true;
      case Message::text: {
        const auto length = static_cast<size_t>(take<uint64_t>());
        lua_pushlstring(L_, m_.bytes.data() + at_, length);
        at_ += length;
        return true;
      }
      case Message::object:
        push_object(take<uint32_t>());
        return true;
      case Message::pointer:
        lua_pushlightuserdata(L_, take<void*>());
        return true;
      case Message::signed_integer:
      case Message::unsigned_integer:
        push_integer_cdata(L_, take<uint64_t>(), tag == Message::signed_integer);
        return true;
      case Message::complex: {
        const double real = take<double>();
        push_complex_cdata(L_, real, take<double>());
        return true;
      }
      case Message::joined:
      case Message::end:
        break;
    }
    return false;
  }

  void fill_table(const Message::Object& object, uint32_t place, int pending) {
    push_object(place);
    const int table = lua_gettop(L_);
    if (object.meta == Message::Meta::by_class || object.meta == Message::Meta::written) {
      push_class(L_, context_, m_.texts.data() + object.name, object.name_length);
      lua_setmetatable(L_, table);
    }
    if (object.meta == Message::Meta::written) {
      const int at = static_cast<int>(lua_objlen(L_, pending));
      lua_pushvalue(L_, table);
      lua_rawseti(L_, pending, at + 1);
      value();
      lua_rawseti(L_, pending, at + 2);
      return lua_settop(L_, table - 1);
    }
    if (object.meta == Message::Meta::table) {
      value();
      lua_setmetatable(L_, table);
    }
    while (value()) {
      value();
      lua_rawset(L_, table);
    }
    lua_settop(L_, table - 1);
  }

  void fill_function(uint32_t place) {
    push_object(place);
    const int function = lua_gettop(L_);
    for (int i = 1;; ++i) {
      if (value()) {
        lua_setupvalue(L_, function, i);
      } else if (m_.bytes[at_ - 1] == Message::joined) {
        const auto variable = take<uint32_t>();
        push_object(variable >> 6);
        lua_upvaluejoin(L_, function, i, function + 1, static_cast<int>(variable & 63));
        lua_pop(L_, 1);
      } else {
        break;
      }
    }
    lua_settop(L_, function - 1);
  }

  // Reports memory that is new to this state to the collector: copies, and shared storages that arrive for the first time.
  void note_memory() {
    if (m_.memories.empty()) return;
    State& state = need_torch(L_);
    m_.tensors.clear();
    for (Message::Memory& memory : m_.memories) {
      if (memory.by_reference && !memory.is_new) continue;
      Storage* storage = memory.storage.get();  // owned by an object on the stack, or inside one
      memory.storage = StoragePtr();
      state.collector.note_allocation(L_, *storage);
    }
  }

  lua_State* const L_;
  Context& context_;
  Message& m_;
  size_t at_ = 0;
  int base_ = 0;
  bool in_table_ = false, any_written_ = false;
};

}  // namespace

void read_values(lua_State* L, Context& context, Message& message) { Reader(L, context, message).read(); }

}  // namespace mt::lua
