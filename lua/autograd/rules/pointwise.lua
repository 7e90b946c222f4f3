--- Derivatives of elementwise ops.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

local zero = rules.zero

-- g where the mask is set, elsewhere 0.
local function only(mask, g) return torch.where(mask, g, 0) end

local function pass(g) return g end

-- Sums and products.
local function addOther(g, _, _, _, alpha)
  if alpha == 1 then return g end
  return torch.mul(g, alpha)
end
rules.add = { pass, addOther }
rules.csub = { pass, function(g, _, _, _, alpha) return torch.mul(g, -alpha) end }
rules.rsub = { function(g) return torch.neg(g) end }
rules.mul = { function(g, _, _, value) return torch.mul(g, value) end }
rules.cmul = { function(g, _, _, y) return torch.cmul(g, y) end, function(g, _, x) return torch.cmul(g, x) end }
rules.div = { function(g, _, _, value) return torch.div(g, value) end }
rules.cdiv = {
  function(g, _, _, y) return torch.cdiv(g, y) end,
  function(g, quotient, _, y) return torch.neg(torch.cdiv(torch.cmul(g, quotient), y)) end,
}
rules.addcmul = {
  pass,
  function(g, _, _, _, b, value) return torch.mul(torch.cmul(g, b), value) end,
  function(g, _, _, a, _, value) return torch.mul(torch.cmul(g, a), value) end,
}
rules.addcdiv = {
  pass,
  function(g, _, _, _, b, value) return torch.mul(torch.cdiv(g, b), value) end,
  function(g, _, _, a, b, value) return torch.mul(torch.cdiv(torch.cmul(g, a), torch.cmul(b, b)), -value) end,
}
rules.lerp = {
  function(g, _, _, _, weight) return torch.csub(g, torch.cmul(g, weight)) end,
  function(g, _, _, _, weight) return torch.cmul(g, weight) end,
  function(g, _, a, b) return torch.cmul(g, torch.csub(b, a)) end,
}
rules.neg = { function(g) return torch.neg(g) end }
rules.cinv = { function(g, y) return torch.neg(torch.cmul(g, torch.cmul(y, y))) end }
rules.square = { function(g, _, x) return torch.cmul(g, torch.mul(x, 2)) end }

-- Remainders: x - y * trunc(x / y) and x - y * floor(x / y), the quotient constant where the derivative exists.
rules.fmod = { pass, function(g, _, x, y) return torch.neg(torch.cmul(g, torch.trunc(torch.cdiv(x, y)))) end }
rules.remainder = { pass, function(g, _, x, y) return torch.neg(torch.cmul(g, torch.floor(torch.cdiv(x, y)))) end }

-- Steps and kinks. At a tie the first argument of cmax and cmin has the gradient; at its bounds clamp passes it, as inside.
rules.sign, rules.floor, rules.ceil, rules.round, rules.trunc = zero, zero, zero, zero, zero
rules.frac = { pass }
rules.abs = { function(g, _, x) return torch.cmul(g, torch.sign(x)) end }
rules.relu = { function(g, y) return torch.relu_grad(g, y) end }
rules.relu_grad = { function(g, _, _, y) return torch.relu_grad(g, y) end }
rules.clamp = { function(g, _, x, min, max)
  local inside = torch.cmul(torch.ge(x, min), torch.le(x, max))
  return only(inside, g)
end }
rules.cmax = { function(g, _, x, y) return only(torch.ge(x, y), g) end, function(g, _, x, y) return only(torch.lt(x, y), g) end }
rules.cmin = { function(g, _, x, y) return only(torch.le(x, y), g) end, function(g, _, x, y) return only(torch.gt(x, y), g) end }
