-- Derivatives of special functions.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

local ln2, ln10, sqrtPi = math.log(2), math.log(10), math.sqrt(math.pi)

rules.exp2 = { function(g, y) return torch.mul(torch.cmul(g, y), ln2) end }
rules.log2 = { function(g, _, x) return torch.cdiv(g, torch.mul(x, ln2)) end }
rules.log10 = { function(g, _, x) return torch.cdiv(g, torch.mul(x, ln10)) end }
rules.asinh = { function(g, _, x) return torch.cmul(g, torch.rsqrt(torch.add(torch.cmul(x, x), 1))) end }
rules.acosh = { function(g, _, x) return torch.cmul(g, torch.rsqrt(torch.add(torch.cmul(x, x), -1))) end }
rules.atanh = { function(g, _, x) return torch.cdiv(g, torch.rsub(torch.cmul(x, x), 1)) end }
rules.erfc = { function(g, _, x) return torch.mul(torch.cmul(g, torch.exp(torch.neg(torch.cmul(x, x)))), -2 / sqrtPi) end }
rules.erfinv = { function(g, y) return torch.mul(torch.cmul(g, torch.exp(torch.cmul(y, y))), sqrtPi / 2) end }
rules.lgamma = { function(g, _, x) return torch.cmul(g, torch.digamma(x)) end }
rules.digamma = { function(g, _, x) return torch.cmul(g, torch.trigamma(x)) end }
rules.trigamma = { function(g, _, x) return torch.cmul(g, torch.polygamma(x, 2)) end }
rules.polygamma = { function(g, _, x, n) return torch.cmul(g, torch.polygamma(x, n + 1)) end }
rules.hypot = {
  function(g, y, x) return torch.cmul(g, torch.cdiv(x, y)) end,
  function(g, y, _, other) return torch.cmul(g, torch.cdiv(other, y)) end,
}
