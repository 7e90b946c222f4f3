-- Derivatives of elementwise sums, products, quotients and remainders.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

-- Sums and products.
rules.add = { 'g', 'times(g, alpha)' }
rules.csub = { 'g', 'mul(g, -alpha)' }
rules.rsub = { 'neg(g)' }
rules.mul = { 'mul(g, value)' }
rules.cmul = { 'cmul(g, y)', 'cmul(g, x)' }
rules.div = { 'div(g, value)' }
rules.cdiv = { 'cdiv(g, y)', 'neg(cdiv(cmul(g, cdiv(x, y)), y))' }  -- the result isn't kept: programs write on into it
rules.addcmul = { 'g', 'times(cmul(g, b), value)', 'times(cmul(g, a), value)' }
rules.addcdiv = {
  'g',
  'times(cdiv(g, b), value)',
  function(g, _, _, a, b, value) return torch.mul(torch.cdiv(torch.cmul(g, a), torch.cmul(b, b)), -value) end,
}
rules.lerp = {
  function(g, _, _, _, weight) return torch.csub(g, torch.cmul(g, weight)) end,
  function(g, _, _, _, weight) return torch.cmul(g, weight) end,
  function(g, _, a, b) return torch.cmul(g, torch.csub(b, a)) end,
}
rules.neg = { 'neg(g)' }
rules.cinv = { 'neg(cmul(g, cmul(result, result)))' }
rules.square = { 'cmul(g, mul(x, 2))' }

-- Remainders: x - y * trunc(x / y) and x - y * floor(x / y), the quotient constant where the derivative exists.
rules.fmod = { 'g', 'neg(cmul(g, trunc(cdiv(x, y))))' }
rules.remainder = { 'g', 'neg(cmul(g, floor(cdiv(x, y))))' }
