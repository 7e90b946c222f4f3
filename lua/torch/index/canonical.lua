--- Reads floats from memory for Lua. LuaJIT keeps types in NaNs: one with other bits than its own (kernels and files have them)
-- would come out as nil, a light userdata or a pointer to anything. Here every NaN comes out as Lua's.
-- @module torch.index.canonical
local ffi = require 'ffi'
local bit = require 'bit'

local band, cast = bit.band, ffi.cast
local words = ffi.typeof 'const int32_t *'      -- as bit operations give them: compiled code converts nothing
local floats, doubles = ffi.typeof 'const float *', ffi.typeof 'const double *'
local nan = 0 / 0

local canonical = {}

--- Element i, counted from 0, of floats at p. The exponent is looked at before the number may reach Lua.
function canonical.Float(p, i)
  if band(cast(words, p)[i], 0x7fffffff) > 0x7f800000 then return nan end
  return cast(floats, p)[i]
end

--- The same of doubles, on a machine whose low bytes come first.
function canonical.Double(p, i)
  local high = band(cast(words, p)[2 * i + 1], 0x7fffffff)
  if high >= 0x7ff00000 and (high > 0x7ff00000 or cast(words, p)[2 * i] ~= 0) then return nan end
  return cast(doubles, p)[i]
end

return canonical
