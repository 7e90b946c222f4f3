// Numbers and sizes between Lua and the engine. Lua's numbers are doubles; a 64-bit integer that a double can't hold is an FFI integer.
#pragma once

#include <cstdint>
#include <string_view>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/registry.h"

namespace mt::lua {

struct State;

// The Lua functions for numbers that are FFI data: 64-bit integers and complex numbers.
struct NumberFunctions {
  int box_integer = LUA_NOREF;  // box_integer(high, low, is_unsigned) -> an int64 or uint64 from two halves
  int box_complex = LUA_NOREF;  // box_complex(real, imaginary) -> a complex number
  int kind = LUA_NOREF;         // kind(x) -> the NumberData of FFI data
};

void push_integer(lua_State* L, const State& state, int64_t value, bool is_unsigned = false);  // unsigned: the bits of a uint64
void push_complex(lua_State* L, const State& state, Complex<double> value);                    // FFI's complex number
void push_sizes(lua_State* L, State& state, Sizes sizes);                                      // a LongStorage
void push_element(lua_State* L, State& state, const Tensor& t, int64_t offset);

// Tells a hook that captures that the program reads elements; raises its error.
void note_read(lua_State* L, State& state, const Tensor& t);

bool read_number(lua_State* L, const State& state, int index, Value& value);  // numbers, numeric strings, FFI integers
// The same, and FFI's complex numbers, which become elements in `room`. For arguments of ops that check which elements they accept.
bool read_any_number(lua_State* L, const State& state, int index, Value& value, ScalarValue& room);
bool is_complex_number(lua_State* L, const State& state, int index);  // FFI's
// The text of a number that is FFI data, which stays on the stack; nullptr for other values.
const char* number_text(lua_State* L, const State& state, int index);
// Reads integers into sizes, from a LongStorage, a LongTensor or a table at `index`, or numbers from there to `last`. Raises C++ errors.
bool read_sizes(lua_State* L, const State& state, int index, int last, std::string_view op, std::string_view argument, int64_t* sizes,
                int32_t* count);

}  // namespace mt::lua
