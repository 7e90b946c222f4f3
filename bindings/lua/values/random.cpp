// Generators of random numbers as Lua objects, and the generators of the state: seeds and saved states.
#include <variant>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/open.h"
#include "bindings/lua/values/generators.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/numbers.h"
#include "engine/core/device.h"
#include "engine/core/generator.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

using AnyGenerator = std::variant<Generator*, Philox*>;

// The generator of a call: its first argument, or the one for calls on the device that the first argument names, or the state's. Sets `at`
// to the index of the next argument.
AnyGenerator generator_argument(lua_State* L, State& state, int& at) {
  at = 2;
  if (Generator* generator = test_generator(L, state, 1)) return generator;
  if (lua_type(L, 1) == LUA_TSTRING) {
    std::optional<DeviceId> id;
    const char* name = lua_tostring(L, 1);
    guarded(L, state, [&] { id = device_called(name); });
    if (id && device(*id).draws_by_counter()) return &state.generators.of_device[*id];
    if (id) return &state.generators.own;
  }
  at = 1;
  return &state.generators.own;
}

// newGenerator([kind])
int new_generator(lua_State* L) {
  State& state = upvalue_state(L);
  const char* kind = lua_isnoneornil(L, 1) ? "mersenne" : lua_tostring(L, 1);
  const char* actual = kind != nullptr ? kind : luaL_typename(L, 1);
  std::optional<Generator> made;
  guarded(L, state, [&] {
    if (kind != nullptr) made = Generator::of_kind(kind, Generator::random_seed());
    if (!made) fail("Generator", "kind", actual, ", expected 'mersenne' or 'philox'");
  });
  push_generator(L, state, *made);
  return 1;
}

const char own_generator_key = 0;  // its address is the registry key of torch._gen

void get_own_generator(lua_State* L) {
  lua_pushlightuserdata(L, const_cast<char*>(&own_generator_key));
  lua_rawget(L, LUA_REGISTRYINDEX);
}

// ownGenerator() -> torch._gen: an object that represents the state's generator
// ownGenerator(generator) makes it the state's generator; the former torch._gen becomes a separate generator with the former state
int own_generator(lua_State* L) {
  State& state = upvalue_state(L);
  const bool replace = lua_gettop(L) > 0;
  if (replace && !is_generator(L, 1)) {
    guarded(L, state, [&] { fail("_gen", "generator", luaL_typename(L, 1), ", expected a torch.Generator"); });
  }
  get_own_generator(L);
  if (!replace && lua_isuserdata(L, -1)) return 1;
  auto* next = test_box<GeneratorBox>(L, 1, generator_magic);
  if (replace && next == nullptr) return 0;  // it is already the state's generator
  if (auto* present = test_box<GeneratorBox>(L, -1, own_generator_magic); present != nullptr) {
    present->generator = state.generators.own;
    present->magic = generator_magic;
  }
  if (replace) {
    state.generators.own = next->generator;
    next->magic = own_generator_magic;
    lua_settop(L, 1);
  } else {
    new (lua_newuserdata(L, sizeof(GeneratorBox))) GeneratorBox{own_generator_magic, state.generators.own};
    lua_rawgeti(L, LUA_REGISTRYINDEX, state.metatables.generator);
    lua_setmetatable(L, -2);
  }
  lua_pushlightuserdata(L, const_cast<char*>(&own_generator_key));
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  return 1;
}

// The 64 bits of a seed, from a signed or unsigned integer; fractions are truncated.
uint64_t seed_bits(const Value& value) {
  if (value.type != Value::Type::number) return static_cast<uint64_t>(value.as_int());
  const double number = value.number;
  if (!(number >= -0x1p63 && number < 0x1p64)) fail("manualSeed", "seed", number, ", expected a number of 64 bits");
  return number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(number)) : static_cast<uint64_t>(number);
}

// manualSeed([generator,] seed): any integer of 64 bits; without a generator it seeds all generators of the state
int manual_seed(lua_State* L) {
  State& state = upvalue_state(L);
  int at;
  const AnyGenerator generator = generator_argument(L, state, at);
  Value value;
  uint64_t seed = 0;
  guarded(L, state, [&] {
    if (!read_number(L, state, at, value)) fail("manualSeed", "seed", luaL_typename(L, at), ", expected a number");
    seed = seed_bits(value);
  });
  if (at == 1)
    state.generators.manual_seed(seed);
  else
    std::visit([seed](auto* g) { g->manual_seed(seed); }, generator);
  return 0;
}

int seed(lua_State* L) {
  State& state = upvalue_state(L);
  int at;
  const AnyGenerator generator = generator_argument(L, state, at);
  uint64_t seed = 0;
  guarded(L, state, [&] {
    if (!lua_isnoneornil(L, at)) fail("seed", "arguments", luaL_typename(L, at), ", expected none: manualSeed takes a seed");
    seed = Generator::random_seed();
  });
  if (at == 1)
    state.generators.manual_seed(seed);
  else
    std::visit([seed](auto* g) { g->manual_seed(seed); }, generator);
  lua_pushnumber(L, static_cast<double>(seed));
  return 1;
}

int initial_seed(lua_State* L) {
  int at;
  const AnyGenerator generator = generator_argument(L, upvalue_state(L), at);
  lua_pushnumber(L, static_cast<double>(std::visit([](const auto* g) { return g->initial_seed(); }, generator)));
  return 1;
}

// getRNGState([generator,] [result]) -> a ByteTensor with its state
int get_rng_state(lua_State* L) {
  State& state = upvalue_state(L);
  int at;
  const AnyGenerator generator = generator_argument(L, state, at);
  Tensor* given = test_tensor(L, at);
  Tensor& bytes = given != nullptr ? *given : push_tensor(L, state, DType::uint8);
  guarded(L, state, [&] {
    if (bytes.dtype() != DType::uint8) fail<Status::dtype>("getRNGState", "result", bytes.dtype(), ", expected a ", DType::uint8);
    const Tensor saved = std::visit(
        [](const auto* g) {
          const Tensor t = Tensor::empty(DType::uint8, {g->state_bytes()});
          g->save(t.template data<uint8_t>());
          return t;
        },
        generator);
    call_resize(state.hook, bytes, saved.sizes());
    call_copy(state.hook, bytes, saved);
  });
  if (given != nullptr) lua_pushvalue(L, at);
  return 1;
}

// setRNGState([generator,] state): a result of getRNGState, of any kind unless the generator is that of a device
int set_rng_state(lua_State* L) {
  State& state = upvalue_state(L);
  int at;
  const AnyGenerator generator = generator_argument(L, state, at);
  guarded(L, state, [&] {
    state.compute_pending();
    const Tensor* given = test_tensor(L, at);
    if (given == nullptr || given->dtype() != DType::uint8) {
      fail("setRNGState", "state", "RNG state is wrong: expected a ByteTensor from getRNGState");
    }
    const Tensor bytes = on_host(contiguous(*given));
    std::visit([&](auto* g) { g->load({bytes.data<uint8_t>(), static_cast<size_t>(bytes.numel())}); }, generator);
  });
  lua_pushvalue(L, at);
  return 1;
}

// rngStateBytes(header) -> the size in bytes of a state that begins with a ByteTensor of header_bytes bytes; without it, header_bytes
int rng_state_bytes(lua_State* L) {
  const Tensor* header = test_tensor(L, 1);
  const bool known = header != nullptr && header->dtype() == DType::uint8 && header->device() == cpu_device && header->is_contiguous() &&
                     header->numel() == Generator::header_bytes;
  lua_pushinteger(L, static_cast<lua_Integer>(known ? Generator::state_bytes(header->data<uint8_t>()) : Generator::header_bytes));
  return 1;
}

}  // namespace

void push_generator(lua_State* L, const State& state, const Generator& generator) {
  new (lua_newuserdata(L, sizeof(GeneratorBox))) GeneratorBox{generator_magic, generator};
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.metatables.generator);
  lua_setmetatable(L, -2);
}

void open_random(lua_State* L, State& state) {
  add_function(L, state, "newGenerator", new_generator);
  add_function(L, state, "ownGenerator", own_generator);
  add_function(L, state, "rngStateBytes", rng_state_bytes);
  lua_getfield(L, -1, "functions");
  add_function(L, state, "manualSeed", manual_seed);
  add_function(L, state, "seed", seed);
  add_function(L, state, "initialSeed", initial_seed);
  add_function(L, state, "getRNGState", get_rng_state);
  add_function(L, state, "setRNGState", set_rng_state);
  lua_pop(L, 1);
}

}  // namespace mt::lua
