// Converts Lua values into a message, breadth first: an object gets its index when it is first reached; its content is written later.
#include <string>
#include <string_view>

#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/threads/containers.h"
#include "bindings/lua/threads/context.h"
#include "bindings/lua/threads/names.h"
#include "bindings/lua/threads/objects.h"
#include "bindings/lua/values/containers.h"
#include "bindings/lua/values/generators.h"
#include "engine/core/generator.h"

namespace mt::lua {
namespace {

constexpr int cdata = 10;  // LuaJIT's type of FFI objects
// Marks a package in the memo, as opposed to the index of an object.
constexpr uint32_t is_package = 0x8000'0000;
constexpr uint32_t most_objects = 1 << 25;  // a variable's key in the memo is the index of its function and six bits

class Writer {
 public:
  Writer(lua_State* L, Context& context, WriterScratch& scratch, Message& message, Travel travel)
      : L_(L), context_(context), scratch_(scratch), memo_(scratch.memo), m_(message), travel_(travel) {}

  void write(int first, int count, bool by_reference) {
    memo_.begin();
    luaL_checkstack(L_, 20, "values for another thread");
    lua_rawgeti(L_, LUA_REGISTRYINDEX, scratch_.anchors);
    anchors_ = lua_gettop(L_);
    m_.count = static_cast<uint32_t>(count);
    for (int i = 0; i < count; ++i) value(first + i, Message::at_top | static_cast<uint32_t>(i + 1), by_reference);
    for (size_t k = 0; k < m_.objects.size(); ++k) {
      const Message::Kind kind = m_.objects[k].kind;
      if (kind != Message::Kind::table && kind != Message::Kind::function) continue;
      lua_rawgeti(L_, anchors_, static_cast<int>(k + 1));
      if (kind == Message::Kind::table)
        fields(k);
      else
        upvalues(k);
      lua_pop(L_, 1);
    }
    if (!m_.to_process) m_.copy_memory();
    lua_pop(L_, 1);
  }

 private:
  void value(int index, uint32_t parent, bool by_reference) {
    switch (const int type = lua_type(L_, index)) {
      case LUA_TNONE:
      case LUA_TNIL:
        return m_.put(Message::nil);
      case LUA_TBOOLEAN:
        return m_.put(lua_toboolean(L_, index) != 0 ? Message::yes : Message::no);
      case LUA_TNUMBER:
        m_.put(Message::number);
        return m_.put(lua_tonumber(L_, index));
      case LUA_TSTRING: {
        size_t length = 0;
        const char* text = lua_tolstring(L_, index, &length);
        m_.put(Message::text);
        m_.put(static_cast<uint64_t>(length));
        m_.bytes.append(text, length);
        return;
      }
      case LUA_TLIGHTUSERDATA:
        m_.put(Message::pointer);
        return m_.put(lua_touserdata(L_, index));
      case cdata:
        return ffi_number(index, parent);
      case LUA_TTHREAD:
        refuse(index, parent, "a coroutine", "it belongs to its Lua state");
      default:
        return object(type, index, parent, by_reference);
    }
  }

  void ffi_number(int index, uint32_t parent) {
    const int kind = kind_of_number(L_, index);
    if (kind == 0) refuse(index, parent, "FFI cdata", "it belongs to its Lua state");
    uint64_t words[2];  // an integer has one, a complex number two
    std::memcpy(words, lua_topointer(L_, index), (kind == 3 ? 2 : 1) * sizeof words[0]);
    m_.put(kind == 3 ? Message::complex : kind == 1 ? Message::signed_integer : Message::unsigned_integer);
    m_.put(words[0]);
    if (kind == 3) m_.put(words[1]);
  }

  void object(int type, int index, uint32_t parent, bool by_reference) {
    if (index < 0) index = lua_gettop(L_) + 1 + index;
    const int top = lua_gettop(L_);
    if (type == LUA_TTABLE) {
      if (unwrap(index, parent)) {
        value(-1, parent, true);
        return lua_settop(L_, top);
      }
      if (!packages_known_) enter_packages();
    }
    const void* const address = lua_topointer(L_, index);
    uint32_t place = memo_.find(address);
    if (place == Memo::none || place >= is_package) {
      const bool named = place != Memo::none;
      place = static_cast<uint32_t>(m_.objects.size());
      Message::Object made{.kind = Message::Kind::known, .by_reference = by_reference, .parent = parent};
      if (named)
        name(made, "package:", package_name(L_, index));
      else if (type == LUA_TTABLE)
        describe_table(made, index);
      else if (type == LUA_TFUNCTION)
        describe_function(made, index, parent);
      else
        describe_userdata(made, index, parent);
      if (place >= most_objects) refuse(index, parent, "one object too many", "33 million is the limit");
      m_.objects.push_back(made);
      if (named)
        memo_.change(address, place);
      else
        memo_.enter(address, place);
      lua_pushvalue(L_, index);
      lua_rawseti(L_, anchors_, static_cast<int>(place + 1));
    } else if (by_reference && !m_.objects[place].by_reference) {
      share_again(place);
    }
    lua_settop(L_, top);
    m_.put(Message::object);
    m_.put(place);
  }

  // Whether the table is a wrapper by threads.share. If so, pushes the wrapped value.
  bool unwrap(int index, uint32_t parent) {
    if (!is_reference(index)) return false;
    lua_rawgeti(L_, index, 1);
    for (int depth = 0; lua_istable(L_, -1) && is_reference(lua_gettop(L_)); ++depth) {
      if (depth == 100) refuse(index, parent, "a reference to itself", "it holds no value");
      lua_rawgeti(L_, -1, 1);
      lua_remove(L_, -2);
    }
    return true;
  }
  bool is_reference(int index) {
    if (lua_getmetatable(L_, index) == 0) return false;
    lua_rawgeti(L_, LUA_REGISTRYINDEX, context_.reference_metatable);
    const bool equal = lua_rawequal(L_, -1, -2) != 0;
    lua_pop(L_, 2);
    return equal;
  }

  // A tensor that was reached by copy before and by reference now: the whole storage is shared.
  void share_again(uint32_t place) {
    Message::Object& object = m_.objects[place];
    object.by_reference = true;
    if (object.kind == Message::Kind::tensor && m_.tensors[object.place].memory != Message::none)
      m_.memories[m_.tensors[object.place].memory].by_reference = true;
    if (object.kind == Message::Kind::storage) m_.memories[object.place].by_reference = true;
  }

  void name(Message::Object& object, std::string_view kind, const char* rest) {
    object.kind = Message::Kind::known;
    object.place = static_cast<uint32_t>(m_.texts.size());
    m_.texts.append(kind).append(rest);
    object.fields = static_cast<uint32_t>(m_.texts.size()) - object.place;
  }

  // Enters the tables of loaded packages into the memo: a message has the name of a package instead of its contents.
  void enter_packages() {
    packages_known_ = true;
    lua_getfield(L_, LUA_REGISTRYINDEX, "_LOADED");
    if (lua_istable(L_, -1)) {
      for (lua_pushnil(L_); lua_next(L_, -2) != 0; lua_pop(L_, 1)) {
        if (!lua_istable(L_, -1) || lua_type(L_, -2) != LUA_TSTRING) continue;
        const void* const address = lua_topointer(L_, -1);
        if (memo_.find(address) == Memo::none) memo_.enter(address, is_package);
      }
    }
    lua_pop(L_, 1);
  }

  void describe_table(Message::Object& made, int index) {
    if (const char* known = name_of_class(L_, index); known != nullptr) return name(made, "class:", known);
    made.kind = Message::Kind::table;
    made.place = static_cast<uint32_t>(lua_objlen(L_, index));
    if (lua_getmetatable(L_, index) == 0) return;
    if (const char* of = name_of_constructor(L_); of != nullptr) return name(made, "constructor:", of);
    if (const char* of = name_of_class(L_, lua_gettop(L_)); of != nullptr) {
      made.meta = writes_itself(L_, context_) ? Message::Meta::written : Message::Meta::by_class;
      made.name = static_cast<uint32_t>(m_.texts.size());
      m_.texts.append(of);
      made.name_length = static_cast<uint32_t>(m_.texts.size()) - made.name;
    } else {
      made.meta = Message::Meta::table;
    }
  }

  void describe_function(Message::Object& made, int index, uint32_t parent) {
    if (lua_iscfunction(L_, index) != 0) {
      if (const char* known = name_of_field(L_, context_, index); known != nullptr) return name(made, "field:", known);
      refuse(index, parent, "a C function", "only those that are fields of packages can");
    }
    if (lua_getupvalue(L_, index, 1) != nullptr) {
      lua_pop(L_, 1);
      const char* known = is_ours(L_, context_, index) ? name_of_field(L_, context_, index) : nullptr;
      if (known != nullptr) return name(made, "field:", known);
    }
    made.kind = Message::Kind::function;
    made.place = static_cast<uint32_t>(m_.codes.size());
    m_.codes.push_back(code_of(L_, context_, index));
  }

  void describe_userdata(Message::Object& made, int index, uint32_t parent) {
    using Kind = Message::Kind;
    if (const Tensor* t = test_tensor(L_, index)) {
      made.kind = Kind::tensor;
      made.place = static_cast<uint32_t>(m_.tensors.size());
      if (m_.to_process && t->device() != cpu_device) refuse(index, parent, class_name(L_, index), "it is on a device");
      m_.tensors.push_back({*t, memory_of(*t, made.by_reference)});
      m_.tensors.back().tensor.set_tracked(false);
    } else if (const StoragePtr* storage = test_storage(L_, index)) {
      made.kind = Kind::storage;
      if (m_.to_process && (*storage)->device != cpu_device) refuse(index, parent, class_name(L_, index), "it is on a device");
      made.place = memory(*storage, 0, (*storage)->size, made.by_reference);
    } else if (Container* container = test_container(L_, index)) {
      made.kind = Kind::container;
      made.place = place_of(container, made.by_reference || m_.to_process);
    } else if (auto* generator = test_box<GeneratorBox>(L_, index, generator_magic)) {
      made.kind = Kind::generator;
      made.place = static_cast<uint32_t>(m_.generators.size());
      m_.generators.push_back(generator->generator);
    } else if (auto* box = test_box<SharedBox>(L_, index, shared_magic); box != nullptr && box->object != nullptr) {
      if (m_.to_process) refuse(index, parent, class_name(L_, index), "threads of one process share it");
      made.kind = Kind::shared;
      made.place = static_cast<uint32_t>(m_.shared.size());
      m_.shared.push_back(box->object);
    } else if (const char* known = name_of_field(L_, context_, index); known != nullptr) {
      name(made, "field:", known);
    } else {
      refuse(index, parent, class_name(L_, index), "it belongs to its Lua state");
    }
  }

  // Several Lua objects of one container share one copy.
  uint32_t place_of(Container* container, bool by_reference) {
    uint32_t place = memo_.find(container);
    if (place != Memo::none) return place;
    place = static_cast<uint32_t>(m_.containers.size());
    m_.containers.push_back(by_reference ? ContainerPtr::share(container) : copied_container(container));
    memo_.enter(container, place);
    return place;
  }

  uint32_t memory_of(const Tensor& t, bool by_reference) {
    if (t.storage() == nullptr) return Message::none;
    int64_t begin = t.offset(), end = begin + 1;
    for (int d = 0; d < t.dim(); ++d) (t.stride(d) < 0 ? begin : end) += (t.size(d) - 1) * t.stride(d);
    if (t.numel() == 0) end = begin = 0;
    if (t.storage()->dtype != t.dtype()) begin = 0, end = t.storage()->size;  // parts of complex numbers: t counts other elements
    return memory(t.storage_ptr(), begin, end, by_reference);
  }

  uint32_t memory(const StoragePtr& storage, int64_t begin, int64_t end, bool by_reference) {
    uint32_t place = memo_.find(storage.get());
    if (place == Memo::none) {
      place = static_cast<uint32_t>(m_.memories.size());
      m_.memories.push_back({storage, begin, end, by_reference, false});
      memo_.enter(storage.get(), place);
      return place;
    }
    Message::Memory& known = m_.memories[place];
    known.by_reference = known.by_reference || by_reference;
    if (known.begin == known.end) known.begin = begin, known.end = end;
    if (begin < end) {
      known.begin = std::min(known.begin, begin);
      known.end = std::max(known.end, end);
    }
    return place;
  }

  // Writes the table on top of the stack.
  void fields(size_t k) {
    const int table = lua_gettop(L_);
    const auto parent = static_cast<uint32_t>(k);
    const bool by_reference = m_.objects[k].by_reference;
    if (m_.objects[k].meta == Message::Meta::written) {
      lua_pushvalue(L_, table);
      call_native(L_, "written", 1);
      value(-1, parent, by_reference);
      return lua_settop(L_, table);
    }
    if (m_.objects[k].meta == Message::Meta::table) {
      lua_getmetatable(L_, table);
      value(-1, parent, by_reference);
      lua_pop(L_, 1);
    }
    uint32_t pairs = 0;
    for (lua_pushnil(L_); lua_next(L_, table) != 0; lua_pop(L_, 1), ++pairs) {
      value(table + 1, parent, by_reference);
      value(table + 2, parent, by_reference);
    }
    m_.put(Message::end);
    Message::Object& object = m_.objects[k];
    object.fields = pairs > object.place ? pairs - object.place : 0;
  }

  // Writes the function on top of the stack. Closures that share a variable share it in the copy, too.
  void upvalues(size_t k) {
    const int function = lua_gettop(L_);
    for (int i = 1; lua_getupvalue(L_, function, i) != nullptr; ++i, lua_pop(L_, 1)) {
      const void* const variable = lua_upvalueid(L_, function, i);
      const uint32_t known = memo_.find(variable);
      if (known != Memo::none) {
        m_.put(Message::joined);
        m_.put(known);
        continue;
      }
      memo_.enter(variable, static_cast<uint32_t>(k << 6 | static_cast<size_t>(i)));  // a function has at most 60
      value(-1, static_cast<uint32_t>(k), m_.objects[k].by_reference);
    }
    m_.put(Message::end);
  }

  // Raises the error of a value that can't be sent, with the path to it.
  [[noreturn]] void refuse(int index, uint32_t parent, const char* what, const char* why) {
    if (index < 0) index = lua_gettop(L_) + 1 + index;
    push_path(L_, m_, anchors_, index, parent, travel_);
    const char* const where = m_.to_process ? "process" : "thread";
    lua_pushfstring(L_, "%s: %s, which can't go to another %s: %s", lua_tostring(L_, -1), what, where, why);
    lua_error(L_);
    std::abort();  // lua_error does not return
  }

  lua_State* const L_;
  Context& context_;
  WriterScratch& scratch_;
  Memo& memo_;
  Message& m_;
  const Travel travel_;
  int anchors_ = 0;
  bool packages_known_ = false;
};

struct Task {
  Context* context;
  WriterScratch* scratch;
  Message* message;
  bool by_reference;
  Travel travel;
};

// run(task, values...)
int run(lua_State* L) {
  const Task& task = *static_cast<const Task*>(lua_touserdata(L, 1));
  bool failed = false;
  try {
    if (task.scratch->anchors == LUA_NOREF) {
      lua_newtable(L);
      task.scratch->anchors = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    if (State* const state = torch_state(L)) state->compute_pending();
    Writer(L, *task.context, *task.scratch, *task.message, task.travel).write(2, lua_gettop(L) - 1, task.by_reference);
  } catch (const std::exception& e) {  // Lua's own errors pass through
    task.context->message = e.what();
    failed = true;
  }
  if (failed) luaL_error(L, "%s", task.context->message.c_str());
  return 0;
}

// Scratch for one message. Finalisers run wherever Lua allocates and can send other messages meanwhile, so each message has its own.
std::unique_ptr<WriterScratch> take_scratch(Context& context) {
  if (context.scratch.empty()) return std::make_unique<WriterScratch>();
  auto scratch = std::move(context.scratch.back());
  context.scratch.pop_back();
  return scratch;
}

void give_back(lua_State* L, Context& context, std::unique_ptr<WriterScratch> scratch, bool failed, size_t objects) {
  constexpr size_t few = 1000;  // below this, entries are removed one by one
  if (scratch->anchors != LUA_NOREF && (failed || objects > few)) {
    luaL_unref(L, LUA_REGISTRYINDEX, scratch->anchors);
    scratch->anchors = LUA_NOREF;
  } else if (objects > 0) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, scratch->anchors);
    for (size_t i = 1; i <= objects; ++i) {
      lua_pushnil(L);
      lua_rawseti(L, -2, static_cast<int>(i));
    }
    lua_pop(L, 1);
  }
  context.scratch.push_back(std::move(scratch));
}

}  // namespace

bool write_values(lua_State* L, Context& context, Message& message, int first, bool by_reference, Travel travel) {
  std::unique_ptr<WriterScratch> scratch = take_scratch(context);
  Task task{&context, scratch.get(), &message, by_reference, travel};
  const int count = lua_gettop(L) - first + 1;
  bool failed = lua_checkstack(L, 10) == 0;
  if (failed) {
    lua_settop(L, first - 1);
    lua_pushliteral(L, "stack overflow");
  } else {
    lua_rawgeti(L, LUA_REGISTRYINDEX, context.write);
    lua_insert(L, first);
    lua_pushlightuserdata(L, &task);
    lua_insert(L, first + 1);
    failed = lua_pcall(L, count + 1, 0, 0) != 0;
  }
  give_back(L, context, std::move(scratch), failed, message.objects.size());
  if (failed) message.clear();
  return !failed;
}

void open_writer(lua_State* L, Context& context) {
  lua_pushcfunction(L, run);
  context.write = luaL_ref(L, LUA_REGISTRYINDEX);
}

}  // namespace mt::lua
