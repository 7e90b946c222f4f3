// Generators as arguments: separate objects, and torch._gen, which represents the generator of the state.
#pragma once

#include "bindings/lua/state/state.h"
#include "bindings/lua/values/boxes.h"
#include "engine/core/generator.h"

namespace mt::lua {

inline constexpr uint64_t generator_magic = 0x6d74'4765'6e65'7261;

struct GeneratorBox {
  uint64_t magic = generator_magic;
  Generator generator;
};

// Marks torch._gen, whose numbers come from the state's generator.
inline constexpr uint64_t own_generator_magic = 0x6d74'4f77'6e47'656e;

inline Generator* test_generator(lua_State* L, State& state, int index) {
  if (auto* box = test_box<GeneratorBox>(L, index, generator_magic)) return &box->generator;
  return test_box<GeneratorBox>(L, index, own_generator_magic) != nullptr ? &state.generators.own : nullptr;
}

inline bool is_generator(lua_State* L, int index) {
  return test_box<GeneratorBox>(L, index, generator_magic) != nullptr || test_box<GeneratorBox>(L, index, own_generator_magic) != nullptr;
}

void push_generator(lua_State* L, const State& state, const Generator& generator);  // as a new object

}  // namespace mt::lua
