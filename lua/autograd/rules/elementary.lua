-- Derivatives of elementary functions.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

rules.exp = { 'cmul(g, result)' }
rules.expm1 = { 'addcmul(g, g, result)' }
rules.log = { 'cdiv(g, x)' }
rules.log1p = { 'cdiv(g, add(x, 1))' }
rules.sqrt = { 'cdiv(g, mul(result, 2))' }
rules.rsqrt = { 'mul(cmul(g, pow(result, 3)), -0.5)' }

rules.sin = { 'cmul(g, cos(x))' }
rules.cos = { 'neg(cmul(g, sin(x)))' }
rules.tan = { 'addcmul(g, cmul(g, result), result)' }
rules.asin = { function(g, _, x) return torch.cmul(g, torch.rsqrt(torch.rsub(torch.cmul(x, x), 1))) end }
rules.acos = { function(g, _, x) return torch.neg(torch.cmul(g, torch.rsqrt(torch.rsub(torch.cmul(x, x), 1)))) end }
rules.atan = { function(g, _, x) return torch.cdiv(g, torch.add(torch.cmul(x, x), 1)) end }
rules.atan2 = {
  function(g, _, y, x) return torch.cdiv(torch.cmul(g, x), torch.add(torch.cmul(x, x), torch.cmul(y, y))) end,
  function(g, _, y, x) return torch.neg(torch.cdiv(torch.cmul(g, y), torch.add(torch.cmul(x, x), torch.cmul(y, y)))) end,
}
rules.sinh = { 'cmul(g, cosh(x))' }
rules.cosh = { 'cmul(g, sinh(x))' }
rules.tanh = { 'tanh_grad(g, result)' }
rules.tanh_grad = {
  function(h, _, _, y) return torch.tanh_grad(h, y) end,
  function(h, _, g, y) return torch.mul(torch.cmul(torch.cmul(h, g), y), -2) end,
}

rules.sigmoid = { 'sigmoid_grad(g, result)' }
rules.sigmoid_grad = {
  function(h, _, _, y) return torch.sigmoid_grad(h, y) end,
  function(h, _, g, y) return torch.cmul(torch.cmul(h, g), torch.rsub(torch.mul(y, 2), 1)) end,
}
rules.softplus = { 'cmul(g, sigmoid(x))' }
rules.erf = { function(g, _, x)
  return torch.mul(torch.cmul(g, torch.exp(torch.neg(torch.cmul(x, x)))), 2 / math.sqrt(math.pi))
end }
rules.logaddexp = {
  function(g, _, a, b) return torch.cmul(g, torch.sigmoid(torch.csub(a, b))) end,
  function(g, _, a, b) return torch.cmul(g, torch.sigmoid(torch.csub(b, a))) end,
}
