-- Derivatives of special functions.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

local saving, sqrtPi = rules.saving, math.sqrt(math.pi)

rules.exp2 = { 'mul(cmul(g, result), 0.6931471805599453)' }
rules.log2 = { 'cdiv(g, mul(x, 0.6931471805599453))' }
rules.log10 = { 'cdiv(g, mul(x, 2.302585092994046))' }
rules.asinh = { 'cmul(g, rsqrt(add(square(x), 1)))' }
rules.acosh = { 'cmul(g, rsqrt(add(square(x), -1)))' }
rules.atanh = { 'cdiv(g, rsub(square(x), 1))' }
rules.erfc = { saving('x', function(g, x) return torch.mul(torch.cmul(g, torch.exp(torch.neg(torch.square(x)))), -2 / sqrtPi) end) }
rules.erfinv = { 'mul(cmul(g, exp(square(result))), 0.886226925452758)' }
rules.lgamma = { 'cmul(g, digamma(x))' }
rules.digamma = { 'cmul(g, trigamma(x))' }
rules.trigamma = { 'cmul(g, polygamma(x, 2))' }
rules.polygamma = { saving('x, n', function(g, x, n) return torch.cmul(g, torch.polygamma(x, n + 1)) end) }
rules.hypot = {
  'cmul(g, cdiv(x, result))',
  saving('result, y', function(g, result, y) return torch.cmul(g, torch.cdiv(y, result)) end),
}
