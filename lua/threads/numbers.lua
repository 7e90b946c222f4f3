--- FFI's numbers for messages between threads: 64-bit integers, which represent elements of LongTensors beyond 2^53, and complex numbers.
-- @module threads.numbers
local ffi = require 'ffi'

local numbers = {}

local int64, uint64, complex = ffi.typeof 'int64_t', ffi.typeof 'uint64_t', ffi.typeof 'complex'

--- The type of a cdata.
-- @return 1 for int64_t, 2 for uint64_t, 3 for a complex number, 0 for anything else
function numbers.kindOfNumber(x)
  return ffi.istype(int64, x) and 1 or ffi.istype(uint64, x) and 2 or ffi.istype(complex, x) and 3 or 0
end

--- The integer from two halves of 32 bits.
function numbers.makeInteger(high, low, isSigned)
  local bits = uint64(high) * 4294967296ULL + uint64(low)
  return isSigned and int64(bits) or bits
end

--- The complex number from its parts.
function numbers.makeComplex(real, imaginary) return complex(real, imaginary) end

return numbers
