-- Derivatives of shifts, which multiply floats by powers of 2. Bitwise operations take integers alone.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

local ln2 = math.log(2)

rules.lshift = {
  function(g, _, _, y) return torch.lshift(g, y) end,
  function(g, shifted) return torch.mul(torch.cmul(g, shifted), ln2) end,
}
rules.rshift = {
  function(g, _, _, y) return torch.rshift(g, y) end,
  function(g, shifted) return torch.mul(torch.cmul(g, shifted), -ln2) end,
}
local integers = rules.none 'integers have no derivative'
rules.bitand, rules.bitor, rules.bitxor = integers, integers, integers
