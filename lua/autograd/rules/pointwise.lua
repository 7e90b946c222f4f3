-- Derivatives of elementwise ops that round, bound or choose.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

local zero = rules.zero

-- g where the mask is set, elsewhere 0.
local function only(mask, g) return torch.where(mask, g, 0) end

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
