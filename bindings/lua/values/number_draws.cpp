// Single random numbers for lua/torch/names/draws.lua: the values of the ops of the same names without a tensor, for what programs draw in
// loops. For anything else the functions decline, and the op runs.
#include <cstdint>

#include "bindings/lua/values/ffi_functions.h"
#include "engine/core/generator.h"
#include "engine/ops/twister_values.h"

namespace mt::lua {
namespace {

// A number from the state's generator, in `value`. Returns false, without a draw, if a hook wants to see the op, the generator is no
// Mersenne twister, or a parameter is one that the op refuses.
using Draw = bool (*)(State* state, double a, double b, double* value);

Mersenne* twister_of(State* state) { return state->hook == nullptr ? state->generators.own.twister() : nullptr; }

template <class Value> bool give(double* value, Mersenne* twister, const Value& of) {
  if (twister == nullptr) return false;
  *value = static_cast<double>(of(twister->next()));
  return true;
}
template <class Value> bool give_normal(double* value, Mersenne* twister, const Value& of) {
  if (twister == nullptr || !(of.std > 0)) return false;
  *value = of(twister->normal());
  return true;
}

bool uniform(State* state, double a, double b, double* value) { return give(value, twister_of(state), twister::Uniform{a, b - a}); }
bool normal(State* state, double a, double b, double* value) { return give_normal(value, twister_of(state), twister::Normal{a, b}); }
bool log_normal(State* state, double a, double b, double* value) { return give_normal(value, twister_of(state), twister::LogNormal{a, b}); }
bool cauchy(State* state, double a, double b, double* value) { return give(value, twister_of(state), twister::Cauchy{a, b}); }
bool exponential(State* state, double lambda, double, double* value) {
  return lambda > 0 && give(value, twister_of(state), twister::Exponential{lambda});
}
bool geometric(State* state, double p, double, double* value) {
  return p > 0 && p < 1 && give(value, twister_of(state), twister::Geometric(p));
}
bool bernoulli(State* state, double p, double, double* value) {
  return p >= 0 && p <= 1 && give(value, twister_of(state), twister::Bernoulli(p));
}

// 32 bits
bool bits(State* state, double, double, double* value) {
  return give(value, twister_of(state), [](uint32_t draw) { return draw; });
}

// An integer from a to b, which are truncated.
bool random(State* state, double a, double b, double* value) {
  constexpr double exact = 0x1p53;
  if (!(a > -exact && a < exact && b > -exact && b < exact)) return false;
  const auto first = static_cast<int64_t>(a), last = static_cast<int64_t>(b);
  const int64_t count = last - first + 1;
  if (count < 1 || count > UINT32_MAX) return false;
  return give(value, twister_of(state), [=](uint32_t draw) { return first + draw % static_cast<uint32_t>(count); });
}

struct Named {
  const char* name;
  Draw draw;
};
constexpr Named draws[] = {{"uniform", uniform},
                           {"normal", normal},
                           {"logNormal", log_normal},
                           {"cauchy", cauchy},
                           {"exponential", exponential},
                           {"geometric", geometric},
                           {"bernoulli", bernoulli},
                           {"bits", bits},
                           {"random", random}};

// numberDraws() -> the addresses of the state, its hook, and its generator's View; a table of addresses by name, of functions of type Draw
int number_draws(lua_State* L) {
  State& state = upvalue_state(L);
  const Generator::View view = state.generators.own.view();
  lua_pushlightuserdata(L, &state);
  lua_pushlightuserdata(L, &state.hook);
  lua_pushlightuserdata(L, const_cast<bool*>(view.is_twister));
  lua_pushlightuserdata(L, view.twister);
  lua_newtable(L);
  for (const Named& draw : draws) {
    push_function_address(L, draw.draw);
    lua_setfield(L, -2, draw.name);
  }
  return 5;
}

}  // namespace

void open_number_draws(lua_State* L, State& state) { add_function(L, state, "numberDraws", number_draws); }

}  // namespace mt::lua
