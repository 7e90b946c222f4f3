// Generators of random numbers as Lua objects, and the state's own: seeds and saved states.
#include "bindings/lua/generators.h"

namespace mt::lua {
namespace {

// The generator given as the first argument, else the state's own; `at` becomes the index of the next argument.
Generator& generator_argument(lua_State* L, State& state, int& at) {
  if (Generator* generator = test_generator(L, state, 1)) {
    at = 2;
    return *generator;
  }
  at = 1;
  return state.generator;
}

int new_generator(lua_State* L) {
  State& state = upvalue_state(L);
  uint64_t seed = 0;
  guarded(L, state, [&] { seed = Generator::random_seed(); });
  new (lua_newuserdata(L, sizeof(GeneratorBox))) GeneratorBox{generator_magic, Generator(seed)};
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.generator_metatable);
  lua_setmetatable(L, -2);
  return 1;
}

const char own_generator_key = 0;  // its address: the registry's key of torch._gen

void get_own_generator(lua_State* L) {
  lua_pushlightuserdata(L, const_cast<char*>(&own_generator_key));
  lua_rawget(L, LUA_REGISTRYINDEX);
}

// ownGenerator() -> torch._gen: an object that stands for the state's generator
// ownGenerator(generator): the state goes on with this one; the object that stood for its generator takes that one's numbers with it
int own_generator(lua_State* L) {
  State& state = upvalue_state(L);
  const bool replace = lua_gettop(L) > 0;
  if (replace && !is_generator(L, 1)) {
    guarded(L, state, [&] { fail("_gen", "generator", luaL_typename(L, 1), " came, a torch.Generator was expected"); });
  }
  get_own_generator(L);
  if (!replace && lua_isuserdata(L, -1)) return 1;
  auto* next = test_box<GeneratorBox>(L, 1, generator_magic);
  if (replace && next == nullptr) return 0;  // it is the state's already
  if (auto* present = test_box<GeneratorBox>(L, -1, own_generator_magic); present != nullptr) {
    present->generator = state.generator;
    present->magic = generator_magic;
  }
  if (replace) {
    state.generator = next->generator;
    next->magic = own_generator_magic;
    lua_settop(L, 1);
  } else {
    new (lua_newuserdata(L, sizeof(GeneratorBox))) GeneratorBox{own_generator_magic, state.generator};
    lua_rawgeti(L, LUA_REGISTRYINDEX, state.generator_metatable);
    lua_setmetatable(L, -2);
  }
  lua_pushlightuserdata(L, const_cast<char*>(&own_generator_key));
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  return 1;
}

// manualSeed([generator,] seed): any whole number, taken as 64 bits
int manual_seed(lua_State* L) {
  State& state = upvalue_state(L);
  int at;
  Generator& generator = generator_argument(L, state, at);
  Value value;
  guarded(L, state, [&] {
    if (!read_number(L, state, at, value)) fail("manualSeed", "seed", luaL_typename(L, at), " came, a number was expected");
  });
  generator.manual_seed(static_cast<uint64_t>(value.as_int()));
  return 0;
}

int seed(lua_State* L) {
  State& state = upvalue_state(L);
  int at;
  Generator& generator = generator_argument(L, state, at);
  guarded(L, state, [&] {
    if (!lua_isnoneornil(L, at)) fail("seed", "arguments", luaL_typename(L, at), " came; a seed of your own is for manualSeed");
    generator.manual_seed(Generator::random_seed());
  });
  lua_pushnumber(L, static_cast<double>(generator.initial_seed()));
  return 1;
}

int initial_seed(lua_State* L) {
  int at;
  lua_pushnumber(L, static_cast<double>(generator_argument(L, upvalue_state(L), at).initial_seed()));
  return 1;
}

// getRNGState([generator,] [result]) -> a ByteTensor with its state
int get_rng_state(lua_State* L) {
  State& state = upvalue_state(L);
  int at;
  const Generator& generator = generator_argument(L, state, at);
  Tensor* given = test_tensor(L, at);
  Tensor& bytes = given != nullptr ? *given : push_tensor(L, state, DType::uint8);
  guarded(L, state, [&] {
    if (bytes.dtype() != DType::uint8) fail("getRNGState", "result", bytes.dtype(), " came, a ", DType::uint8, " was expected");
    const Tensor saved = Tensor::empty(DType::uint8, {Generator::state_bytes});
    generator.save(saved.data<uint8_t>());
    bytes.resize("getRNGState", saved.sizes());
    copy(bytes, saved);
    bytes.touch();
  });
  if (given != nullptr) lua_pushvalue(L, at);
  return 1;
}

int set_rng_state(lua_State* L) {
  State& state = upvalue_state(L);
  int at;
  Generator& generator = generator_argument(L, state, at);
  guarded(L, state, [&] {
    const Tensor* bytes = test_tensor(L, at);
    if (bytes == nullptr || bytes->dtype() != DType::uint8 || bytes->numel() != Generator::state_bytes) {
      fail("setRNGState", "state", "RNG state is wrong size: a ByteTensor of ", Generator::state_bytes, " was expected");
    }
    generator.load(on_host(contiguous(*bytes)).data<uint8_t>());
  });
  lua_pushvalue(L, at);
  return 1;
}

}  // namespace

void open_random(lua_State* L, State& state) {
  add_function(L, state, "newGenerator", new_generator);
  add_function(L, state, "ownGenerator", own_generator);
  lua_getfield(L, -1, "functions");
  add_function(L, state, "manualSeed", manual_seed);
  add_function(L, state, "seed", seed);
  add_function(L, state, "initialSeed", initial_seed);
  add_function(L, state, "getRNGState", get_rng_state);
  add_function(L, state, "setRNGState", set_rng_state);
  lua_pop(L, 1);
}

}  // namespace mt::lua
