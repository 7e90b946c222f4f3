// Containers (tds) as Lua objects.
#pragma once

#include "bindings/lua/state/state.h"
#include "bindings/lua/values/boxes.h"
#include "engine/containers/containers.h"

namespace mt::lua {

inline constexpr uint64_t container_magic = 0x6d74'436f'6e74'6169;

struct ContainerBox {
  uint64_t magic = container_magic;
  ContainerPtr container;
};

inline Container* test_container(lua_State* L, int index) {
  auto* box = test_box<ContainerBox>(L, index, container_magic);
  return box != nullptr ? box->container.get() : nullptr;
}

void push_container(lua_State* L, ContainerPtr container);  // with its class
void open_containers(lua_State* L, State& state);           // the table `containers` of the module

}  // namespace mt::lua
