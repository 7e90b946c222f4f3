-- Shifts as products with powers of 2, and LuaJIT's bit operations, on numbers below 2^31.
local bit = require 'bit'
local lift = require('torch.sweep.elementwise').lift

return {
  lshift = lift(function(x, y) return x * 2 ^ y end),
  rshift = lift(function(x, y) return x / 2 ^ y end),
  bitand = lift(bit.band), bitor = lift(bit.bor), bitxor = lift(bit.bxor),
}
