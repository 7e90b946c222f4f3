// Handles by address: torch.pushudata, retain and free. After x:retain(), a program passes torch.pointer(x) through C, or to another Lua
// state, in which pushudata creates an object for it. Until then, a table of the process holds the retained references.
#include "bindings/lua/values/handles.h"

#include <cmath>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <variant>

#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/values/containers.h"
#include "bindings/lua/values/metatables.h"
#include "engine/core/fork.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

using Kept = std::variant<Tensor, StoragePtr, ContainerPtr>;

struct Keeper {
  ForkSafeMutex mutex;
  std::unordered_map<uintptr_t, std::deque<Kept>> kept;  // retained references by address, in the order of retain
};

// Created after the allocator of its tensors, so that it is destroyed before the allocator.
Keeper& keeper() {
  static Keeper keeper;
  return keeper;
}

// The address that torch.pointer returns for a value, and a copy of the handle; 0 for other values.
uintptr_t address_of(lua_State* L, int index, Kept& copy) {
  if (const Tensor* t = test_tensor(L, index)) {
    copy = *t;
    std::get<Tensor>(copy).set_tracked(false);
    return reinterpret_cast<uintptr_t>(t);
  }
  if (const StoragePtr* s = test_storage(L, index)) {
    copy = *s;
    return reinterpret_cast<uintptr_t>(s->get());
  }
  if (Container* c = test_container(L, index)) {
    copy = ContainerPtr::share(c);
    return reinterpret_cast<uintptr_t>(c);
  }
  return 0;
}

// Another thread may get the address, and use the object from then on.
void share_between_threads(const Kept& kept) {
  if (const auto* t = std::get_if<Tensor>(&kept); t != nullptr && t->storage() != nullptr) t->storage()->share_between_threads();
  if (const auto* s = std::get_if<StoragePtr>(&kept)) (*s)->share_between_threads();
}

// Takes the oldest reference that was retained at an address; returns false if there is none. Raises an error, without taking it, unless
// right() accepts it.
template <class Right> bool take(uintptr_t address, Kept& out, Right&& right) {
  Keeper& k = keeper();
  const std::lock_guard lock(k.mutex);
  const auto found = k.kept.find(address);
  if (found == k.kept.end()) return false;
  if (!right(found->second.front())) fail("pushudata", "name", "the object at that address has another type");
  out = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) k.kept.erase(found);
  return true;
}

// retain(x) adds a reference, which free or pushudata consumes
int retain(lua_State* L) {
  State& state = upvalue_state(L);
  guarded(L, state, [&] {
    state.compute_pending();
    Kept copy;
    const uintptr_t address = address_of(L, 1, copy);
    if (address == 0) fail("retain", "self", luaL_typename(L, 1), ", expected a tensor, storage or container");
    share_between_threads(copy);
    Keeper& k = keeper();
    const std::lock_guard lock(k.mutex);
    k.kept[address].push_back(std::move(copy));
  });
  lua_settop(L, 1);
  return 1;
}

// free(x) consumes a reference of retain. If there is none, a tensor releases its storage now; other objects wait for the collector.
int release(lua_State* L) {
  State& state = upvalue_state(L);
  guarded(L, state, [&] {
    Kept kept;
    const uintptr_t address = address_of(L, 1, kept);
    if (address == 0) fail("free", "self", luaL_typename(L, 1), ", expected a tensor, storage or container");
    kept = Kept();
    if (take(address, kept, [](const Kept&) { return true; })) return;
    if (Tensor* t = test_tensor(L, 1)) call_set(state.hook, *t, Tensor(t->dtype(), t->device()));
  });
  return 0;
}

enum class What { tensor, storage, container };

// A copy of the object at an address that was not retained. The caller is responsible for the address, as in Torch7.
Kept copy_of_live(uintptr_t address, What what) {
  if (what == What::tensor) {
    const auto* box = reinterpret_cast<const TensorBox*>(address - offsetof(TensorBox, tensor));
    if (box->magic != tensor_magic) fail("pushudata", "pointer", "there is no tensor at that address");
    return box->tensor;
  }
  if (what == What::storage) return StoragePtr::share(reinterpret_cast<Storage*>(address));
  return ContainerPtr::share(reinterpret_cast<Container*>(address));
}

// adopt(address, 'tensor' | 'storage' | 'container', dtype [, kind of device [, retained only]]) -> object, whether it consumed a reference
// of retain; dtype counts from 0; for a container it is the kind of container
int adopt(lua_State* L) {
  State& state = upvalue_state(L);
  const double number = luaL_checknumber(L, 1);
  const auto what = static_cast<What>(luaL_checkoption(L, 2, nullptr, (const char* const[]){"tensor", "storage", "container", nullptr}));
  const auto kind = static_cast<int>(luaL_checkinteger(L, 3));
  const std::string_view place = luaL_optstring(L, 4, "");
  const bool only_retained = lua_toboolean(L, 5) != 0;
  bool retained = false;
  Kept kept;
  guarded(L, state, [&] {
    const bool aligned = number > 0 && number < 0x1p63 && std::fmod(number, alignof(void*)) == 0;
    if (!aligned) fail("pushudata", "pointer", number, ", expected a result of torch.pointer");
    const auto address = static_cast<uintptr_t>(number);
    const auto right = [what, kind, place](const Kept& k) {
      const auto alike = [&](What it, DType dtype, DeviceId device) {
        return what == it && static_cast<int>(dtype) == kind && kind_name(device_kind(device)) == place;
      };
      if (const auto* t = std::get_if<Tensor>(&k)) return alike(What::tensor, t->dtype(), t->device());
      if (const auto* s = std::get_if<StoragePtr>(&k)) return alike(What::storage, (*s)->dtype, (*s)->device);
      return what == What::container && static_cast<int>(std::get<ContainerPtr>(k)->kind()) == kind;
    };
    retained = take(address, kept, right);
    if (!retained && only_retained) fail("pushudata", "pointer", "nothing was retained at that address");
    if (!retained) kept = copy_of_live(address, what);
    if (!right(kept)) fail("pushudata", "name", "the object at that address has another type");
    share_between_threads(kept);
  });
  if (what == What::tensor) {
    const Tensor& held = std::get<Tensor>(kept);
    Tensor& alias = push_tensor(L, state, static_cast<DType>(kind), held.device());
    guarded(L, state, [&] { call_set(state.hook, alias, held); });
  } else if (what == What::storage)
    push_storage(L, state, std::get<StoragePtr>(kept));
  else
    push_container(L, std::get<ContainerPtr>(kept));
  lua_pushboolean(L, retained);
  return 2;
}

// heapTracking(on) sets whether the memory of tensors triggers Lua's collector
int heap_tracking(lua_State* L) {
  upvalue_state(L).collector.set_tracking(lua_toboolean(L, 1) != 0);
  return 0;
}

}  // namespace

void open_handles(lua_State* L, State& state) {
  add_function(L, state, "retain", retain);
  add_function(L, state, "free", release);
  add_function(L, state, "adopt", adopt);
  add_function(L, state, "heapTracking", heap_tracking);
}

}  // namespace mt::lua
