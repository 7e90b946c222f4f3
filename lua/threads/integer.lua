--- FFI's 64-bit integers, which represent elements of LongTensors beyond 2^53, for messages between threads.
-- @module threads.integer
local ffi = require 'ffi'

local integer = {}

local int64, uint64 = ffi.typeof 'int64_t', ffi.typeof 'uint64_t'

--- The integer type of a cdata.
-- @return 1 for int64_t, 2 for uint64_t, 0 for anything else
function integer.kindOfInteger(x) return ffi.istype(int64, x) and 1 or ffi.istype(uint64, x) and 2 or 0 end

--- The integer from two halves of 32 bits.
function integer.makeInteger(high, low, isSigned)
  local bits = uint64(high) * 4294967296ULL + uint64(low)
  return isSigned and int64(bits) or bits
end

return integer
