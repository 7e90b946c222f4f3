--- Reads floats from memory for Lua. LuaJIT encodes types in NaNs: a NaN with other bits than LuaJIT's (from kernels or files) would become
-- nil, a light userdata or a pointer to anything. Therefore all NaNs are replaced by Lua's.
-- @module torch.index.canonical
local ffi = require 'ffi'
local bit = require 'bit'

local band, cast = bit.band, ffi.cast
local words = ffi.typeof 'const int32_t *'      -- the type of bit operations, so that compiled code converts nothing
local floats, doubles = ffi.typeof 'const float *', ffi.typeof 'const double *'
local nan = 0 / 0

local canonical = {}

--- Returns element i, counted from 0, of floats at p. The exponent is checked before Lua gets the number.
function canonical.Float(p, i)
  if band(cast(words, p)[i], 0x7fffffff) > 0x7f800000 then return nan end
  return cast(floats, p)[i]
end

--- Does the same for doubles, on a little-endian machine.
function canonical.Double(p, i)
  local high = band(cast(words, p)[2 * i + 1], 0x7fffffff)
  if high >= 0x7ff00000 and (high > 0x7ff00000 or cast(words, p)[2 * i] ~= 0) then return nan end
  return cast(doubles, p)[i]
end

return canonical
