#include "bindings/lua/values/dlpack.h"

#include <memory>

#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/owned.h"
#include "engine/core/dlpack.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

using dlpack::Copy;
using dlpack::Unversioned;
using dlpack::Versioned;

// A structure of DLPack that nobody has consumed: one of the two.
struct Capsule {
  Versioned* versioned = nullptr;
  Unversioned* unversioned = nullptr;

  ~Capsule() {
    if (versioned != nullptr && versioned->deleter != nullptr) versioned->deleter(versioned);
    if (unversioned != nullptr && unversioned->deleter != nullptr) unversioned->deleter(unversioned);
  }
  bool is_consumed() const { return versioned == nullptr && unversioned == nullptr; }
  void forget() { versioned = nullptr, unversioned = nullptr; }
  Tensor imported(Copy copy) {
    Tensor made = versioned != nullptr ? dlpack::imported("torch.fromDLPack", versioned, copy)
                                       : dlpack::imported("torch.fromDLPack", unversioned, copy);
    forget();
    return made;
  }
};

struct CapsuleClass {
  using Pointer = std::unique_ptr<Capsule>;
  static constexpr uint64_t magic = 0x6d74'446c'5061'636b;
  static constexpr const char* metatable = "moontorch.dlpack";
  static constexpr const char* expected = "expected a capsule of torch.toDLPack";
};

Capsule& check_unconsumed(lua_State* L, State& state) {
  Capsule& capsule = *check_owned<CapsuleClass>(L, 1);
  if (capsule.is_consumed()) {
    guarded(L, state, [] { fail("torch.fromDLPack", "source", "a capsule that was consumed, expected a new one: each is used once"); });
  }
  return capsule;
}

// toDLPack(tensor, versioned, read_only) -> capsule
int to_dlpack(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor* const x = test_tensor(L, 1);
  luaL_argcheck(L, x != nullptr, 1, "expected a tensor");
  const bool versioned = lua_toboolean(L, 2) != 0, read_only = lua_toboolean(L, 3) != 0;
  std::unique_ptr<Capsule>& capsule = push_owned<CapsuleClass>(L);
  guarded(L, state, [&] {
    state.compute_pending();
    call_expose(state.hook, *x);
    auto made = std::make_unique<Capsule>();
    if (versioned) {
      made->versioned = dlpack::exported<Versioned>("torch.toDLPack", *x);
      if (read_only) made->versioned->flags |= dlpack::read_only;
    } else {
      made->unversioned = dlpack::exported<Unversioned>("torch.toDLPack", *x);
    }
    capsule = std::move(made);
  });
  return 1;
}

// capsuleOver(address, versioned) -> capsule that owns a structure of the program
int capsule_over(lua_State* L) {
  State& state = upvalue_state(L);
  const lua_Number address = luaL_checknumber(L, 1);
  luaL_argcheck(L, address > 0 && address < 0x1p63, 1, "expected an address");
  const bool versioned = lua_toboolean(L, 2) != 0;
  auto* const managed = reinterpret_cast<void*>(static_cast<uintptr_t>(address));
  std::unique_ptr<Capsule>& capsule = push_owned<CapsuleClass>(L);
  guarded(L, state, [&] {
    capsule = std::make_unique<Capsule>();
    if (versioned)
      capsule->versioned = static_cast<Versioned*>(managed);
    else
      capsule->unversioned = static_cast<Unversioned*>(managed);
  });
  return 1;
}

// capsuleAddress(capsule, release) -> the address of its structure, whether that has a version; nil if it was consumed. With `release` the
// caller then owns the structure.
int capsule_address(lua_State* L) {
  Capsule& capsule = *check_owned<CapsuleClass>(L, 1);
  if (capsule.is_consumed()) return 0;
  const bool versioned = capsule.versioned != nullptr;
  const void* const managed = versioned ? static_cast<void*>(capsule.versioned) : capsule.unversioned;
  if (lua_toboolean(L, 2) != 0) capsule.forget();
  lua_pushnumber(L, static_cast<lua_Number>(reinterpret_cast<uintptr_t>(managed)));
  lua_pushboolean(L, versioned);
  return 2;
}

// fromDLPack(capsule, copy) -> tensor, which then owns the structure; copy is a number of dlpack::Copy
int from_dlpack(lua_State* L) {
  State& state = upvalue_state(L);
  const auto copy = static_cast<Copy>(luaL_checkinteger(L, 2));
  luaL_argcheck(L, copy >= Copy::if_needed && copy <= Copy::always, 2, "expected a kind of copy");
  Capsule& capsule = check_unconsumed(L, state);
  Tensor& made = push_tensor(L, state, DType::float64);
  guarded(L, state, [&] { made = capsule.imported(copy); });
  set_class(L, state, -1, made);
  state.collector.note_bytes(L, made.numel() * size_of(made.dtype()));
  return 1;
}

int is_capsule(lua_State* L) {
  lua_pushboolean(L, test_owned<CapsuleClass>(L, 1) != nullptr);
  return 1;
}

}  // namespace

void open_dlpack(lua_State* L, State& state) {
  lua_newtable(L);
  push_owned_metatable<CapsuleClass>(L);
  lua_setfield(L, -2, "metatable");
  add_function(L, state, "toDLPack", to_dlpack);
  add_function(L, state, "fromDLPack", from_dlpack);
  add_function(L, state, "capsuleOver", capsule_over);
  add_function(L, state, "capsuleAddress", capsule_address);
  add_function(L, state, "isCapsule", is_capsule);
  lua_setfield(L, -2, "dlpack");
}

}  // namespace mt::lua
