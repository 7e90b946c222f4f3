-- Derivatives of elementwise ops.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

local zero = rules.zero

-- g where the mask is set, elsewhere 0.
local function only(mask, g) return torch.where(mask, g, 0) end

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

-- Steps and kinks. At a tie the first argument of cmax and cmin has the gradient; at its bounds clamp passes it, as inside.
rules.sign, rules.floor, rules.ceil, rules.round, rules.trunc = zero, zero, zero, zero, zero
rules.frac = { 'g' }
rules.abs = { 'cmul(g, sign(x))' }
rules.relu = { 'relu_grad(g, result)' }
rules.relu_grad = { 'relu_grad(g, y)' }
rules.clamp = { function(g, _, x, min, max)
  local inside = torch.cmul(torch.ge(x, min), torch.le(x, max))
  return only(inside, g)
end }
rules.cmax = { function(g, _, x, y) return only(torch.ge(x, y), g) end, function(g, _, x, y) return only(torch.lt(x, y), g) end }
rules.cmin = { function(g, _, x, y) return only(torch.le(x, y), g) end, function(g, _, x, y) return only(torch.gt(x, y), g) end }
