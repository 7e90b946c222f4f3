// What one Lua state owns: its random generators, default type, grad mode, the classes of its tensors; and how tensors live in userdata.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/state/host_lua.h"
#include "engine/core/budget.h"
#include "engine/core/device_kind.h"
#include "engine/core/generator.h"
#include "engine/core/registry.h"

namespace mt::lua {

// The first word of our userdata tells it from any other library's.
inline constexpr uint64_t tensor_magic = 0x6d74'5465'6e73'6f72, storage_magic = 0x6d74'5374'6f72'6167,
                          generator_magic = 0x6d74'4765'6e65'7261;

// A tensor and the views made of it are in a ring, so that those that share a storage can be found.
struct Link {
  Link *next = this, *previous = this;
};

struct TensorBox {
  uint64_t magic = tensor_magic;
  Tensor tensor;
  bool awaits_node = false;  // it is tracked, and its node is made when it is first asked for: see lua/autograd/follow.lua
  Link link;
};
inline TensorBox& box_of(Link& link) {
  return *reinterpret_cast<TensorBox*>(reinterpret_cast<std::byte*>(&link) - offsetof(TensorBox, link));
}
inline TensorBox& box_of(Tensor& t) {
  return *reinterpret_cast<TensorBox*>(reinterpret_cast<std::byte*>(&t) - offsetof(TensorBox, tensor));
}

struct StorageBox {
  uint64_t magic = storage_magic;
  StoragePtr storage;
};

struct GeneratorBox {
  uint64_t magic = generator_magic;
  Generator generator;
};

struct NativeTape;    // bindings/lua/tape/native_tape.h
struct CallTrace;     // bindings/lua/call/call_trace.h
struct Autocast;      // bindings/lua/call/autocast.h
struct HeapLimit;     // bindings/lua/state/memory_limit.cpp
class OffersGarbage;  // bindings/lua/state/offers_garbage.h

struct State {
  explicit State(uint64_t seed) : generators(seed) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { close_account(account, charged); }

  bool grad_mode = true;
  bool awaiting = false;                            // some tensor may await its node
  bool autocasting = false, autocast_used = false;  // ops get their arguments in the types of their lists, or once did
  DType default_dtype = DType::float64;
  DeviceId default_device = cpu_device;
  bool inferring = false;  // what names a device gets meta
  OpHook* hook = nullptr;  // what calls of ops go through, for capture and profiling
  Generators generators;
  struct Classes {
    int tensor = LUA_NOREF, storage = LUA_NOREF;  // registry references to their metatables
  };
  Classes classes[max_kinds][dtype_count];  // made when a dtype is first met on a device of the kind
  int make_classes = LUA_NOREF;             // Lua's function for that
  int bring_device = LUA_NOREF;             // Lua's function that loads the library of a device that is named and not there
  int generator_metatable = LUA_NOREF;
  bool tapes = false;                                     // there is a tape
  int scale = LUA_NOREF;                                  // does what an op can't with a tracked tensor in the place of a number
  int adopt = LUA_NOREF;                                  // gives a tensor the node that it awaits
  int get_field = LUA_NOREF, set_field = LUA_NOREF;       // fields of tensors that the tape answers for
  int box_integer = LUA_NOREF, integer_kind = LUA_NOREF;  // int64 to and from FFI numbers
  int64_t debt = 0;                                       // bytes allocated since the last collection
  const Account account = open_account();                 // of the state's storages
  int64_t charged = 0;                                    // bytes that they took when they became its own
  int64_t live_after_collection = 0;                      // bytes in use by them then
  int64_t since_graph = 0;                                // bytes allocated since the last look at what a freed graph left
  int64_t live_without_graph = 0;                         // as live_after_collection, of the last collection after a graph was freed
  int64_t userdata = 0;                                   // tensors and storages made in Lua so far: each costs the collector a finaliser
  bool collecting = false;                                // a collection of ours runs, and with it perhaps finalisers that allocate
  std::string message;                                    // of the error that is about to be raised
  std::string raised;                                     // the last one that was raised, for callers in C
  Status status = Status::ok;                             // and its kind: what was raised last
  std::shared_ptr<HeapLimit> heap_limit;                  // of Lua's own heap; shared as the type is not known here
  Budget budget{account, 0, &charged};                    // what the state's storages may take
  std::deque<std::string> texts;                          // on their way to Lua, by push_text
  std::deque<BoundOp> ops;                                // their addresses are in closures
  std::deque<ComposedOp> composed;                        // ops declared in Lua
  std::shared_ptr<NativeTape> tape;                       // shared as the type is not known here
  std::shared_ptr<CallTrace> trace;                       // likewise
  std::shared_ptr<Autocast> autocast;                     // likewise
};

// The field of the registry that has the state, for C callers, who come without a closure.
inline constexpr const char* opened_state_key = "moontorch.state";
// What Lua's own heap may take, in bytes; 0: no limit.
void set_heap_limit(lua_State* L, State& state, int64_t bytes);
int64_t heap_bytes(lua_State* L);  // what it takes now
// The same, and what its tensors may take. Raises C++ errors.
void set_memory_limits(lua_State* L, State& state, int64_t tensors, int64_t heap);

// The state of this library in L; every C closure of ours has it, or a BoundOp, as its first upvalue.
inline State& upvalue_state(lua_State* L) { return *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1))); }

template <class Box> Box* test_box(lua_State* L, int index, uint64_t magic) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) < sizeof(Box)) return nullptr;
  auto* box = static_cast<Box*>(lua_touserdata(L, index));
  return box->magic == magic ? box : nullptr;
}
inline Tensor* test_tensor(lua_State* L, int index) {
  TensorBox* box = test_box<TensorBox>(L, index, tensor_magic);
  return box != nullptr ? &box->tensor : nullptr;
}
inline StoragePtr* test_storage(lua_State* L, int index) {
  StorageBox* box = test_box<StorageBox>(L, index, storage_magic);
  return box != nullptr ? &box->storage : nullptr;
}

// Pushes an empty tensor without a class; set_class gives it the one of its dtype and device.
inline Tensor& push_raw_tensor(lua_State* L, State& state) {
  ++state.userdata;
  auto* box = new (lua_newuserdata(L, sizeof(TensorBox))) TensorBox;
  return box->tensor;
}
void make_classes(lua_State* L, State& state, DType dtype, KindId kind);
// The same, for callers that hold what nobody else frees: false where it failed, as on a full stack, with the error on top.
bool try_to_make_classes(lua_State* L, State& state, DType dtype, KindId kind);
inline const State::Classes& classes_of(lua_State* L, State& state, DType dtype, DeviceId device) {
  const KindId kind = device_kind(device);
  const State::Classes& classes = state.classes[kind][static_cast<int>(dtype)];
  if (classes.tensor == LUA_NOREF) [[unlikely]]
    make_classes(L, state, dtype, kind);
  return classes;
}
inline bool has_classes(const State& state, const Tensor& t) {
  return state.classes[device_kind(t.device())][static_cast<int>(t.dtype())].tensor != LUA_NOREF;
}
inline void set_class(lua_State* L, State& state, int index, const Tensor& t) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, classes_of(L, state, t.dtype(), t.device()).tensor);
  lua_setmetatable(L, index < 0 ? index - 1 : index);
}
// Whether tensors of these are of one class, so that one may become the other where it is.
inline bool same_class(DType dtype, DeviceId device, DType other_dtype, DeviceId other_device) {
  return dtype == other_dtype && (device == other_device || device_kind(device) == device_kind(other_device));
}
inline bool same_class(const Tensor& a, const Tensor& b) { return same_class(a.dtype(), a.device(), b.dtype(), b.device()); }
inline bool same_class(const Tensor& a, const Storage& b) { return same_class(a.dtype(), a.device(), b.dtype, b.device); }
std::string type_name(const Tensor& t);   // 'torch.FloatTensor'
std::string type_name(const Storage& s);  // 'torch.FloatStorage'
inline Tensor& push_tensor(lua_State* L, State& state, DType dtype, DeviceId device = cpu_device) {
  Tensor& t = push_raw_tensor(L, state);
  t.set_type(dtype, device);
  set_class(L, state, -1, t);
  return t;
}
inline void leave_ring(Tensor& t) {
  Link& link = box_of(t).link;
  if (link.next == &link) return;
  link.next->previous = link.previous;
  link.previous->next = link.next;
  link.next = link.previous = &link;
}
// Puts a view, which has its class, and so will be finalised, into the ring of what it shows.
inline void join(Tensor& view, Tensor& source) {
  if (&view == &source) return;
  leave_ring(view);
  Link &link = box_of(view).link, &before = box_of(source).link;
  link.next = before.next;
  link.previous = &before;
  link.next->previous = before.next = &link;
}
void push_storage(lua_State* L, State& state, StoragePtr storage);
void push_sizes(lua_State* L, State& state, Sizes sizes);            // a LongStorage
void push_integer(lua_State* L, const State& state, int64_t value);  // a number, or an FFI int64 when a double can't hold it
void push_type(lua_State* L, const Tensor& t);                       // 'torch.FloatTensor'
void push_kind(lua_State* L, const Tensor& t);                       // type and device in one name: 'torch.FloatTensor on cpu'
void push_element(lua_State* L, State& state, const Tensor& t, int64_t offset);
// The tensor at a stack index, where one on the CPU takes its place if it is elsewhere.
const Tensor& bring_to_host(lua_State* L, State& state, int index);
void push_text(lua_State* L, State& state, std::string&& text);  // leaves nothing in the caller's frame, should Lua raise an error

// Pushes the place that an error of ours names, as luaL_where does: the caller of the first of our functions, when these call each other.
void push_place(lua_State* L, const State& state);
// Runs f, which may throw; then, with no C++ frame pending, raises what it threw as a Lua error at the caller's line.
[[noreturn]] void raise_message(lua_State* L, State& state);
void keep_message(State& state) noexcept;  // of the exception in flight
// For its lifetime, in a state that has a limit: what is made counts against it at once, and garbage may be collected for it.
class WithinLimit {
 public:
  WithinLimit(lua_State* L, State& state) {
    if (state.budget.is_set()) [[unlikely]]
      enter(L, state);
  }
  ~WithinLimit() {
    if (offer_ != nullptr) [[unlikely]]
      leave();
  }
  WithinLimit(const WithinLimit&) = delete;
  WithinLimit& operator=(const WithinLimit&) = delete;

 private:
  void enter(lua_State* L, State& state);
  void leave();

  OffersGarbage* offer_ = nullptr;
};
template <class F> void guarded(lua_State* L, State& state, F&& f) {
  bool failed = false;
  try {
    const WithinLimit limit(L, state);
    f();
  } catch (...) {
    keep_message(state);
    failed = true;
  }
  if (failed) raise_message(L, state);
}

// Counts a storage among the state's if nobody has it yet and no other thread can see it. Borrowed memory stays nobody's.
inline void claim(State& state, Storage& storage) {
  if (storage.account != no_account || !storage.resizable || !storage.is_unique()) return;
  storage.account = state.account;
  state.charged += static_cast<int64_t>(storage.capacity);
}
inline void claim(State& state, const Tensor& t) {
  if (t.storage() != nullptr) claim(state, *t.storage());
}
// Memory that Lua's collector does not see, new or grown: the collector is run when it passes a limit between 5 and 64 MB that grows with
// Lua's heap, and half of what the state's storages hold.
void note_allocation(lua_State* L, State& state, Storage& storage);
void note_allocation(lua_State* L, State& state, const Tensor& fresh);
// Whether no other tensor or storage object sees its memory, and it is dense: then it may be changed in place.
bool is_exclusive(const Tensor& t);
// Lets go of the memory of a tensor that nothing will read again, rather than leave it to the collector.
void let_go(State& state, Tensor& t);
// Collects when what came to life since the last such time is worth it: a graph has just been let go.
void note_graph_freed(lua_State* L, State& state);

// The class of a value, or its Lua type, for messages. Lua may run finalisers meanwhile: to be called outside guarded.
const char* class_name(lua_State* L, int index);
// Whether a table has fields and no element 1: no list, then.
bool has_only_fields(lua_State* L, int index);
// The name of a field of the table at a stack index, but n; empty where it has none. The table keeps the text alive.
std::string_view field_of(lua_State* L, int index);
// Whether a table is a class itself, such as torch.FloatTensor, which looks like an empty list.
bool is_class(lua_State* L, int index);
// Reads the integers of argument index (a LongStorage, a LongTensor, a table, or numbers from there to last) into sizes; raises C++ errors.
bool read_sizes(lua_State* L, const State& state, int index, int last, std::string_view op, std::string_view argument, int64_t* sizes,
                int32_t* count);
bool read_number(lua_State* L, const State& state, int index, Value& value);  // numbers, numeric strings, FFI integers

void open_calls(lua_State* L, State& state);      // the ops: functions and methods
void open_declare(lua_State* L, State& state);    // ops declared in Lua, and what declarations say
void open_operators(lua_State* L, State& state);  // from the ops
void open_tensors(lua_State* L, State& state);    // what tensors do beside the ops
void open_storages(lua_State* L, State& state);
void open_indexing(lua_State* L, State& state);
void open_random(lua_State* L, State& state);
void open_devices(lua_State* L, State& state);
void open_tape(lua_State* L, State& state);
void open_memory_limit(lua_State* L, State& state);

// Whether a tensor is the tape's number: what is one element comes out as such a tensor where its gradient may be wanted.
inline bool is_tracked_number(const Tensor* t) { return t != nullptr && t->tracked() && t->dim() == 1 && t->size(0) == 1; }
// A call that has a tracked number where none fits, for lua/autograd/scalars.lua: scale(op, is method, arguments...). The stack holds the
// arguments; true with the result on top, false with the stack as it was.
bool call_with_tracked_number(lua_State* L, const BoundOp& bound, int count);

// What changes when a tensor's elements are written or it is made to show others: compared, never ordered. Exact in a double.
double version_of(const Tensor& t);

// A dtype that Lua gives as its number, from 0.
inline DType dtype_argument(lua_State* L, int index) {
  const lua_Integer number = luaL_checkinteger(L, index);
  luaL_argcheck(L, number >= 0 && number < dtype_count, index, "expected a dtype");
  return static_cast<DType>(number);
}

// Loads the library that brings what is named, where Lua knows of one: true when it has been loaded now. What goes wrong there is raised as
// a C++ error, which names op and argument.
bool bring_device(lua_State* L, const State& state, std::string_view name, std::string_view op, std::string_view argument);

// The device whose name is the first argument, which is taken off the stack. In compiling what new tensors infer, it is meta.
DeviceId device_argument(lua_State* L, State& state, const char* op);

// Adds a C function, with the state as its upvalue, to the table on top of the stack.
void add_function(lua_State* L, State& state, const char* name, lua_CFunction f);
void set_text(lua_State* L, const char* field, std::string_view text);  // a field of the table on top of the stack

}  // namespace mt::lua
