// Lua functions without their upvalues. A receiving state loads the bytecode of a function once and creates closures of it, so code that
// LuaJIT compiled for one job serves the next one. Lua's C interface can't create a closure of a prototype. The bytecode is therefore
// spliced into a second prototype, a chunk with as many locals as there are upvalues, whose call creates one. This needs the format of
// LuaJIT 2.1; with any other format each closure loads the bytecode again.
#include <cstring>
#include <string>
#include <string_view>

#include "bindings/lua/threads/context.h"

namespace mt::lua {
namespace {

int append_dump(lua_State*, const void* part, size_t size, void* text) {
  try {
    static_cast<std::string*>(text)->append(static_cast<const char*>(part), size);
  } catch (const std::exception&) {
    return 1;
  }
  return 0;
}

// Parses a dump: a header, prototypes (inner ones before the one that contains them), and a final 0.
class Dump {
 public:
  explicit Dump(std::string_view bytes) : bytes_(bytes) { good_ = parse(); }
  explicit operator bool() const { return good_; }

  std::string_view before_last() const { return bytes_.substr(0, last_); }  // the header and all prototypes but the outermost one
  std::string_view last() const { return bytes_.substr(last_, end_ - last_); }
  int upvalues() const { return upvalues_; }
  size_t upvalue_places() const { return places_; }  // offset of the outermost prototype's upvalue descriptors, two bytes each

 private:
  uint8_t byte() { return at_ < bytes_.size() ? static_cast<uint8_t>(bytes_[at_++]) : (overrun_ = true, 0); }
  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const uint8_t b = byte();
      value |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) break;
    }
    return value;
  }
  bool parse() {
    constexpr uint64_t stripped = 2;
    if (bytes_.substr(0, 3) != "\x1bLJ" || bytes_.size() < 5 || bytes_[3] != 2) return false;
    at_ = 4;
    if ((number() & stripped) != 0) return false;
    at_ += number();  // the chunk's name
    for (;;) {
      const size_t begin = at_;
      const uint64_t length = number();
      if (overrun_ || length > bytes_.size() - at_) return false;
      if (length == 0) {
        end_ = begin;
        return last_ != 0 && at_ == bytes_.size() && find_upvalues();
      }
      last_ = begin;
      at_ += length;
    }
  }
  bool find_upvalues() {
    at_ = last_;
    number();
    at_ += 3;  // flags, number of parameters, frame size
    upvalues_ = byte();
    number();  // constants
    number();
    const uint64_t instructions = number();
    if (number() != 0) {  // size of the debug information, which line numbers follow
      number();
      number();
    }
    places_ = at_ + 4 * instructions;
    return !overrun_ && places_ + 2 * static_cast<size_t>(upvalues_) <= end_;
  }

  std::string_view bytes_;
  size_t at_ = 0, last_ = 0, end_ = 0, places_ = 0;
  int upvalues_ = 0;
  bool overrun_ = false, good_ = false;
};

// The dump of a chunk that returns a function with this number of upvalues, each a local of the chunk that both functions can write.
bool dump_frame(lua_State* L, int upvalues, std::string& dump) {
  std::string names;
  for (int i = 1; i <= upvalues; ++i) names += (i > 1 ? ",u" : "u") + std::to_string(i);
  const std::string text =
      upvalues == 0 ? "return function() end" : "local " + names + " return function() " + names + "=" + names + " end";
  if (luaL_loadbuffer(L, text.data(), text.size(), "=frame") != 0) {
    lua_pop(L, 1);
    return false;
  }
  const bool dumped = lua_dump(L, append_dump, &dump) == 0;
  lua_pop(L, 1);
  return dumped;
}

// The bytecode of a function that creates closures of this one; empty if the dump has an unknown format.
std::string factory_of(lua_State* L, std::string_view code) {
  const Dump inner(code);
  std::string frame_bytes;
  if (!inner || !dump_frame(L, inner.upvalues(), frame_bytes)) return {};
  const Dump frame(frame_bytes);
  if (!frame || frame.upvalues() != 0) return {};
  const std::string_view between = frame.before_last();
  // The outer chunk contains one prototype, whose upvalue descriptors replace those of the code.
  std::string lone(between);
  lone.push_back('\0');
  const Dump placed(lone);
  if (!placed || placed.upvalues() != inner.upvalues()) return {};
  std::string spliced(code.substr(0, code.size() - 1));
  std::memcpy(spliced.data() + inner.upvalue_places(), lone.data() + placed.upvalue_places(), 2 * static_cast<size_t>(inner.upvalues()));
  spliced.append(frame.last());
  spliced.push_back('\0');
  return spliced;
}

// Pushes the factory, or false if there is none.
void push_new_factory(lua_State* L, Context& context, const Code& code) {
  bool made = false;
  std::string& spliced = context.dumped;  // outside this frame, which a Lua error may leave
  spliced = factory_of(L, code.bytes);
  if (!spliced.empty()) {
    made = luaL_loadbuffer(L, spliced.data(), spliced.size(), "=factory") == 0;
    if (!made) lua_pop(L, 1);
  }
  if (!made) lua_pushboolean(L, 0);
}

}  // namespace

CodePtr code_of(lua_State* L, Context& context, int index) {
  context.dumped.clear();
  lua_pushvalue(L, index);
  const bool dumped = lua_dump(L, append_dump, &context.dumped) == 0;
  lua_pop(L, 1);
  if (!dumped) throw std::bad_alloc();
  return context.codes.of(context.dumped);
}

void push_closure(lua_State* L, Context& context, const Code& code) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, context.factories);
  lua_pushnumber(L, static_cast<lua_Number>(code.id));
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    if (++context.factory_count > Codes::most) {
      context.factory_count = 1;
      lua_pop(L, 1);
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_rawseti(L, LUA_REGISTRYINDEX, context.factories);
    }
    push_new_factory(L, context, code);
    lua_pushnumber(L, static_cast<lua_Number>(code.id));
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_remove(L, -2);
  if (lua_isfunction(L, -1)) {
    lua_call(L, 0, 1);
    return;
  }
  lua_pop(L, 1);
  if (luaL_loadbuffer(L, code.bytes.data(), code.bytes.size(), "=function") != 0) lua_error(L);
}

}  // namespace mt::lua
