--- Limits of the dtypes: torch.finfo, torch.iinfo.
-- @module torch.names.number_limits
local check = require 'torch.check'
local types = require 'torch.devices.types'
local C = require 'libmoontorch'

local limits = {}

-- Digits of the mantissa, the exponents of the smallest normal and the largest number, and the largest number if its mantissa is not full.
local floats = {
  Half = { 10, -14, 15 }, BFloat16 = { 7, -126, 127 }, Float = { 23, -126, 127 }, Double = { 52, -1022, 1023 },
  Float8E4m3 = { 3, -6, 8, 448 }, Float8E5m2 = { 2, -14, 15 },
}

-- The row of a dtype.
local function named(where, typeName)
  if C.isTensor(typeName) then return C.dtypes[types.position(C.dtypeOf(typeName))] end
  local whole = type(typeName) == 'string' and require 'torch.class.type_name'(typeName)
  local index = whole and types.parse(whole:match '^torch%.(.*)Tensor$')
  if not index then check.raise(("%s: typeName: %s, expected the name of a type, such as 'float'"):format(where, tostring(typeName))) end
  return C.dtypes[index]
end

--- Returns the limits of a dtype of floats: bits, eps (the distance from 1 to the next number), max, min (the lowest number), tiny (the
-- smallest positive number with full precision; also as smallestNormal), resolution (about the decimal precision).
-- @tparam[opt] string|torch.Tensor typeName such as 'float', torch.float16 or 'torch.DoubleTensor', or a tensor; default: the default type
-- @treturn table
-- @raise if it is no dtype of floats
function limits.finfo(typeName)
  local dtype = named('finfo', typeName or require('torch').getdefaulttensortype())
  local form = floats[dtype.torch]
  if not form then check.raise(('finfo: typeName: torch.%sTensor, expected a type of floats'):format(dtype.torch)) end
  local eps, largest = 2 ^ -form[1], form[4] or (2 - 2 ^ -form[1]) * 2 ^ form[3]
  return { bits = 8 * dtype.size, eps = eps, max = largest, min = -largest, tiny = 2 ^ form[2],
    smallestNormal = 2 ^ form[2], resolution = 10 ^ -math.floor(form[1] * math.log10(2)) }
end

--- Returns the limits of a dtype of integers: bits, max, min. Those of 64 bits are FFI integers.
-- @tparam string|torch.Tensor typeName such as 'int', torch.int64 or 'torch.ByteTensor', or a tensor
-- @treturn table
-- @raise if it is no dtype of integers
function limits.iinfo(typeName)
  local dtype = named('iinfo', typeName)
  local bits, isUnsigned = 8 * dtype.size, dtype.kind == 'unsigned integer'
  if not isUnsigned and dtype.kind ~= 'signed integer' then
    check.raise(('iinfo: typeName: torch.%sTensor, expected a type of integers'):format(dtype.torch))
  end
  if isUnsigned then return { bits = bits, min = bits == 64 and 0ULL or 0, max = bits == 64 and 0xffffffffffffffffULL or 2 ^ bits - 1 } end
  if bits == 64 then return { bits = 64, min = -0x7fffffffffffffffLL - 1, max = 0x7fffffffffffffffLL } end
  return { bits = bits, min = -2 ^ (bits - 1), max = 2 ^ (bits - 1) - 1 }
end

return limits
