--- Derivatives of elementary functions.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

rules.exp = { function(g, y) return torch.cmul(g, y) end }
rules.expm1 = { function(g, y) return torch.addcmul(g, g, y) end }
rules.log = { function(g, _, x) return torch.cdiv(g, x) end }
rules.log1p = { function(g, _, x) return torch.cdiv(g, torch.add(x, 1)) end }
rules.sqrt = { function(g, y) return torch.cdiv(g, torch.mul(y, 2)) end }
rules.rsqrt = { function(g, y) return torch.mul(torch.cmul(g, torch.pow(y, 3)), -0.5) end }

rules.sin = { function(g, _, x) return torch.cmul(g, torch.cos(x)) end }
rules.cos = { function(g, _, x) return torch.neg(torch.cmul(g, torch.sin(x))) end }
rules.tan = { function(g, y) return torch.addcmul(g, torch.cmul(g, y), y) end }
rules.asin = { function(g, _, x) return torch.cmul(g, torch.rsqrt(torch.rsub(torch.cmul(x, x), 1))) end }
rules.acos = { function(g, _, x) return torch.neg(torch.cmul(g, torch.rsqrt(torch.rsub(torch.cmul(x, x), 1)))) end }
rules.atan = { function(g, _, x) return torch.cdiv(g, torch.add(torch.cmul(x, x), 1)) end }
rules.atan2 = {
  function(g, _, y, x) return torch.cdiv(torch.cmul(g, x), torch.add(torch.cmul(x, x), torch.cmul(y, y))) end,
  function(g, _, y, x) return torch.neg(torch.cdiv(torch.cmul(g, y), torch.add(torch.cmul(x, x), torch.cmul(y, y)))) end,
}
rules.sinh = { function(g, _, x) return torch.cmul(g, torch.cosh(x)) end }
rules.cosh = { function(g, _, x) return torch.cmul(g, torch.sinh(x)) end }
rules.tanh = { function(g, y) return torch.tanh_grad(g, y) end }
rules.tanh_grad = {
  function(h, _, _, y) return torch.tanh_grad(h, y) end,
  function(h, _, g, y) return torch.mul(torch.cmul(torch.cmul(h, g), y), -2) end,
}

rules.sigmoid = { function(g, y) return torch.sigmoid_grad(g, y) end }
rules.sigmoid_grad = {
  function(h, _, _, y) return torch.sigmoid_grad(h, y) end,
  function(h, _, g, y) return torch.cmul(torch.cmul(h, g), torch.rsub(torch.mul(y, 2), 1)) end,
}
rules.softplus = { function(g, _, x) return torch.cmul(g, torch.sigmoid(x)) end }
rules.erf = { function(g, _, x)
  return torch.mul(torch.cmul(g, torch.exp(torch.neg(torch.cmul(x, x)))), 2 / math.sqrt(math.pi))
end }
rules.logaddexp = {
  function(g, _, a, b) return torch.cmul(g, torch.sigmoid(torch.csub(a, b))) end,
  function(g, _, a, b) return torch.cmul(g, torch.sigmoid(torch.csub(b, a))) end,
}
