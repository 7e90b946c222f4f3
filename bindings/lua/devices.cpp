// Devices as Lua meets them: which there are, where new tensors go, where a tensor is, and tensors that stand for others.
#include <cstddef>

#include "bindings/lua/state.h"
#include "engine/core/meta.h"
#include "moontorch/moontorch.h"

namespace mt::lua {
namespace {

// As lua/torch/element.lua has them.
static_assert(offsetof(Storage, dtype) == 40 && offsetof(Storage, device) == 41);

void push_name(lua_State* L, DeviceId id) {
  const std::string_view name = device_name(id);
  lua_pushlstring(L, name.data(), name.size());
}

// x:device() of a tensor or a storage -> the name of the device where its elements are
int device_of(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor* t = test_tensor(L, 1);
  const StoragePtr* storage = test_storage(L, 1);
  if (t == nullptr && storage == nullptr) {
    guarded(L, state,
            [&, came = class_name(L, 1)] { fail("device", "self", came, " came, a tensor was expected (called with . instead of : ?)"); });
  }
  push_name(L, t != nullptr ? t->device() : (*storage)->device);
  return 1;
}

// devices() -> their names
int devices(lua_State* L) {
  lua_newtable(L);
  for (int id = 0; id < device_count(); ++id) {
    push_name(L, static_cast<DeviceId>(id));
    lua_rawseti(L, -2, id + 1);
  }
  return 1;
}

// defaultDevice([name [, function]]) -> the name of the present one; messages name the function
int default_device(lua_State* L) {
  State& state = upvalue_state(L);
  if (!lua_isnoneornil(L, 1)) {
    const char* caller = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "setDefaultDevice";
    guarded(L, state, [&, came = class_name(L, 1)] {
      if (lua_type(L, 1) != LUA_TSTRING) fail(caller, "name", came, " came, the name of a device was expected");
      state.default_device = find_device(caller, "name", lua_tostring(L, 1));
    });
  }
  push_name(L, state.default_device);
  return 1;
}

int load_device(lua_State* L) {
  State& state = upvalue_state(L);
  guarded(L, state, [&, came = class_name(L, 1)] {
    if (lua_type(L, 1) != LUA_TSTRING) fail("loadDevice", "path", came, " came, the path of a library was expected");
    constexpr std::string_view c_name = "mt_device_load";
    if (mt_device_load(lua_tostring(L, 1)) == MT_OK) return;
    std::string_view message = mt_error_message();
    if (message.starts_with(c_name)) message.remove_prefix(c_name.size() + 2);
    raise(Status::invalid, concat("loadDevice: ", message));
  });
  return 0;
}

// onHost(tensor or storage) -> itself where it is on the CPU, else a copy there, to be read
int on_host(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 1);
  if (const StoragePtr* storage = test_storage(L, 1)) {
    if ((*storage)->device == cpu_device) return 1;
    Storage* here = nullptr;
    guarded(L, state, [&] {
      const int64_t size = (*storage)->size, stride = 1;
      const Tensor copy = mt::on_host(Tensor::over(*storage, 0, {&size, 1}, {&stride, 1}));
      here = copy.storage();
      here->retain();
    });
    push_storage(L, state, StoragePtr::adopt(here));
    return 1;
  }
  luaL_argcheck(L, test_tensor(L, 1) != nullptr, 1, "a tensor or a storage was expected");
  bring_to_host(L, state, 1);
  return 1;
}

// withoutElements(x) -> a tensor on meta that lies as x does; itself where it is there
int without_elements(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor* x = test_tensor(L, 1);
  luaL_argcheck(L, x != nullptr, 1, "a tensor was expected");
  Tensor& stand_in = push_tensor(L, state, x->dtype(), meta_device);
  guarded(L, state, [&] { stand_in = mt::without_elements(*x); });
  return 1;
}

// inferring([on]) -> what it was: whether what names a device gets meta, which new tensors are on then
int inferring(lua_State* L) {
  State& state = upvalue_state(L);
  lua_pushboolean(L, state.inferring);
  if (!lua_isnone(L, 1)) state.inferring = lua_toboolean(L, 1) != 0;
  return 1;
}

// kindOf(x) -> its type and device in one name, as x:to takes it: 'torch.FloatTensor on cpu'
int kind_of(lua_State* L) {
  const Tensor* x = test_tensor(L, 1);
  luaL_argcheck(L, x != nullptr, 1, "a tensor was expected");
  push_kind(L, *x);
  return 1;
}

}  // namespace

void push_kind(lua_State* L, const Tensor& t) {
  const std::string_view type = info(t.dtype()).torch;
  lua_pushliteral(L, "torch.");
  lua_pushlstring(L, type.data(), type.size());
  lua_pushliteral(L, "Tensor on ");
  push_name(L, t.device());
  lua_concat(L, 4);
}

void open_devices(lua_State* L, State& state) {
  add_function(L, state, "devices", devices);
  add_function(L, state, "defaultDevice", default_device);
  add_function(L, state, "loadDevice", load_device);
  add_function(L, state, "onHost", on_host);
  add_function(L, state, "withoutElements", without_elements);
  add_function(L, state, "inferring", inferring);
  add_function(L, state, "kindOf", kind_of);
  for (const char* methods : {"methods", "storageMethods"}) {
    lua_getfield(L, -1, methods);
    add_function(L, state, "device", device_of);
    lua_pop(L, 1);
  }
}

}  // namespace mt::lua
