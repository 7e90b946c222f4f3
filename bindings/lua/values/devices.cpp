// Devices for Lua: their list, the default device, the device of a tensor, and tensors on meta.
#include <cstddef>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/open.h"
#include "bindings/lua/values/defaults.h"
#include "bindings/lua/values/devices.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/meta.h"
#include "moontorch/moontorch.h"

namespace mt::lua {
namespace {

// The same offsets as in lua/torch/index/element.lua.
static_assert(offsetof(Storage, dtype) == 40 && offsetof(Storage, device) == 41);

void push_name(lua_State* L, DeviceId id) {
  const std::string_view name = device_name(id);
  lua_pushlstring(L, name.data(), name.size());
}

// x:device() of a tensor or storage -> the name of the device of its elements
int device_of(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor* t = test_tensor(L, 1);
  const StoragePtr* storage = test_storage(L, 1);
  if (t == nullptr && storage == nullptr) {
    guarded(L, state,
            [&, actual = class_name(L, 1)] { fail("device", "self", actual, ", expected a tensor (called with . instead of : ?)"); });
  }
  push_name(L, t != nullptr ? t->device() : (*storage)->device);
  return 1;
}

// devices() -> the names of all devices
int devices(lua_State* L) {
  lua_newtable(L);
  for (int id = 0; id < device_count(); ++id) {
    push_name(L, static_cast<DeviceId>(id));
    lua_rawseti(L, -2, id + 1);
  }
  return 1;
}

// defaultDevice([name [, function]]) -> the name of the default device, after setting it; messages name the function
int default_device(lua_State* L) {
  State& state = upvalue_state(L);
  if (!lua_isnoneornil(L, 1)) {
    const char* caller = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "setDefaultDevice";
    guarded(L, state, [&, actual = class_name(L, 1)] {
      if (lua_type(L, 1) != LUA_TSTRING) fail(caller, "name", actual, ", expected the name of a device");
      const char* name = lua_tostring(L, 1);
      if (!device_called(name)) load_device(L, state, name, caller, "name");
      state.defaults.device = find_device(caller, "name", name);
    });
  }
  push_name(L, state.defaults.device);
  return 1;
}

int load_library(lua_State* L) {
  State& state = upvalue_state(L);
  guarded(L, state, [&, actual = class_name(L, 1)] {
    if (lua_type(L, 1) != LUA_TSTRING) fail("loadDevice", "path", actual, ", expected the path of a library");
    constexpr std::string_view c_name = "mt_device_load";
    if (mt_device_load(lua_tostring(L, 1)) == MT_OK) return;
    std::string_view message = mt_error_message();
    if (message.starts_with(c_name)) message.remove_prefix(c_name.size() + 2);
    raise(Status::invalid, concat("loadDevice: ", message));
  });
  return 0;
}

// onHost(tensor or storage) -> the same object if it is on the CPU, else a copy on the CPU, for reading
int on_host(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 1);
  if (const StoragePtr* storage = test_storage(L, 1)) {
    if ((*storage)->device == cpu_device) return 1;
    Storage* here = nullptr;
    guarded(L, state, [&] {
      state.compute_pending();
      const int64_t size = (*storage)->size, stride = 1;
      const Tensor copy = mt::on_host(Tensor::over(*storage, 0, {&size, 1}, {&stride, 1}));
      here = copy.storage();
      here->retain();
    });
    push_storage(L, state, StoragePtr::adopt(here));
    return 1;
  }
  luaL_argcheck(L, test_tensor(L, 1) != nullptr, 1, "expected a tensor or a storage");
  bring_to_host(L, state, 1);
  return 1;
}

// setDeviceBringer(f): f(name) loads the library that adds the device or tensor type with this name -> whether there is one
int set_device_bringer(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  upvalue_state(L).device_loader.load = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

// withoutElements(x) -> a tensor on meta with the geometry of x, or an alias of x if that is on meta
int without_elements(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor* x = test_tensor(L, 1);
  luaL_argcheck(L, x != nullptr, 1, "expected a tensor");
  Tensor& stand_in = push_tensor(L, state, x->dtype(), meta_device);
  guarded(L, state, [&] { stand_in = mt::without_elements(*x); });
  return 1;
}

// inferring([on]) -> the previous setting: whether calls that name a device use meta instead, so that new tensors are on meta
int inferring(lua_State* L) {
  State& state = upvalue_state(L);
  lua_pushboolean(L, state.defaults.inferring);
  if (!lua_isnone(L, 1)) state.defaults.inferring = lua_toboolean(L, 1) != 0;
  return 1;
}

// kindOf(x) -> its type and device in one name, which x:to accepts: 'torch.FloatTensor on cpu'
int kind_of(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor* x = test_tensor(L, 1);
  luaL_argcheck(L, x != nullptr, 1, "expected a tensor");
  guarded(L, state, [&] { state.compute_pending(); });
  push_kind(L, *x);
  return 1;
}

// deviceKind(x), for a tensor, a storage or the name of a device -> the kind of the device, such as 'cuda'; nil if its tensors have plain
// type names
int kind_of_device(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor* t = test_tensor(L, 1);
  const StoragePtr* storage = test_storage(L, 1);
  DeviceId id = t != nullptr ? t->device() : storage != nullptr ? (*storage)->device : cpu_device;
  if (lua_type(L, 1) == LUA_TSTRING) guarded(L, state, [&] { id = find_device("deviceKind", "name", lua_tostring(L, 1)); });
  const KindId kind = device_kind(id);
  if (kind == plain_kind) return 0;
  const std::string_view name = kind_name(kind);
  lua_pushlstring(L, name.data(), name.size());
  return 1;
}

// deviceNamed(name) -> the name of the device; for the name of a kind, of its current device. Nil if there is none.
int device_named(lua_State* L) {
  State& state = upvalue_state(L);
  std::optional<DeviceId> id;
  const char* name = luaL_checkstring(L, 1);
  guarded(L, state, [&] { id = device_called(name); });
  if (!id) return 0;
  push_name(L, *id);
  return 1;
}

// deviceKinds() -> the names of all kinds but the plain one
int device_kinds(lua_State* L) {
  lua_newtable(L);
  for (int kind = 1; kind < kind_count(); ++kind) {
    const std::string_view name = kind_name(static_cast<KindId>(kind));
    lua_pushlstring(L, name.data(), name.size());
    lua_rawseti(L, -2, kind);
  }
  return 1;
}

}  // namespace

bool load_device(lua_State* L, const State& state, std::string_view name, std::string_view op, std::string_view argument) {
  if (state.device_loader.load == LUA_NOREF || lua_checkstack(L, 3) == 0) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.device_loader.load);
  lua_pushlstring(L, name.data(), name.size());
  const bool failed = lua_pcall(L, 1, 1, 0) != 0;
  const bool brought = !failed && lua_toboolean(L, -1) != 0;
  const std::string message = failed && lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  lua_pop(L, 1);
  if (failed) fail(op, argument, name, ": ", message);
  return brought;
}

const Tensor& bring_to_host(lua_State* L, State& state, int index) {
  const Tensor* t = test_tensor(L, index);
  if (t->device() == cpu_device) return *t;
  Tensor& here = push_tensor(L, state, t->dtype());
  guarded(L, state, [&] {
    state.compute_pending();
    here = mt::on_host(*t);
  });
  lua_replace(L, index);
  return here;
}

DeviceId device_argument(lua_State* L, State& state, const char* op) {
  DeviceId id = cpu_device;
  const char* name = luaL_checkstring(L, 1);
  guarded(L, state, [&] { id = state.defaults.inferring ? meta_device : find_device(op, "device", name); });
  lua_remove(L, 1);
  return id;
}

void open_devices(lua_State* L, State& state) {
  add_function(L, state, "devices", devices);
  add_function(L, state, "defaultDevice", default_device);
  add_function(L, state, "loadDevice", load_library);
  add_function(L, state, "onHost", on_host);
  add_function(L, state, "setDeviceBringer", set_device_bringer);
  add_function(L, state, "withoutElements", without_elements);
  add_function(L, state, "inferring", inferring);
  add_function(L, state, "kindOf", kind_of);
  add_function(L, state, "deviceKind", kind_of_device);
  add_function(L, state, "deviceKinds", device_kinds);
  add_function(L, state, "deviceNamed", device_named);
  for (const char* methods : {"methods", "storageMethods"}) {
    lua_getfield(L, -1, methods);
    add_function(L, state, "device", device_of);
    lua_pop(L, 1);
  }
}

}  // namespace mt::lua
