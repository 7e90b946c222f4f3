--- Reads floats from memory for Lua. LuaJIT encodes types in NaNs: a NaN with other bits than LuaJIT's (from kernels or files) would become
-- nil, a light userdata or a pointer to anything. Therefore all NaNs are replaced by Lua's.
-- @module torch.index.canonical
local ffi = require 'ffi'
local bit = require 'bit'

local band, cast = bit.band, ffi.cast
local words = ffi.typeof 'const int32_t *'      -- the type of bit operations, so that compiled code converts nothing
local floats, doubles = ffi.typeof 'const float *', ffi.typeof 'const double *'
local integers, infinity = ffi.typeof 'const uint64_t *', 0xffe0000000000000ULL      -- its bits, shifted by that of the sign
local nan = 0 / 0

local canonical = {}

-- The functions have no local variables, which compiled code would save at each check.

--- Returns element i, counted from 0, of floats at p. The exponent is checked before Lua gets the number.
function canonical.Float(p, i)
  if band(cast(words, cast(floats, p) + i)[0], 0x7fffffff) <= 0x7f800000 then return cast(floats, p)[i] end
  return nan
end

--- Does the same for doubles: without their sign, NaNs are larger as integers than infinity.
function canonical.Double(p, i)
  if cast(integers, p)[i] + cast(integers, p)[i] <= infinity then return cast(doubles, p)[i] end
  return nan
end

return canonical
