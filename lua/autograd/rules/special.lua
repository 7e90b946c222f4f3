-- Derivatives of special functions.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

rules.exp2 = { 'mul(cmul(g, result), 0.6931471805599453)' }
rules.log2 = { 'cdiv(g, mul(x, 0.6931471805599453))' }
rules.log10 = { 'cdiv(g, mul(x, 2.302585092994046))' }
rules.asinh = { saving('x', function(g, x)
  return torch.cdiv(g, x:isComplex() and torch.sqrt(torch.add(torch.square(x), 1)) or torch.hypot(x, 1))
end) }
rules.acosh = { 'cdiv(cdiv(g, sqrt(add(x, -1))), sqrt(add(x, 1)))' }
rules.atanh = { 'cdiv(g, cmul(rsub(x, 1), add(x, 1)))' }
rules.erfc = { 'mul(cmul(g, exp(neg(square(x)))), -1.1283791670955126)' }
rules.erfinv = { 'mul(cmul(g, exp(square(result))), 0.886226925452758)' }
rules.lgamma = { 'cmul(g, digamma(x))' }
rules.digamma = { 'cmul(g, trigamma(x))' }
rules.trigamma = { 'cmul(g, polygamma(x, 2))' }
rules.polygamma = { saving('x, n', function(g, x, n) return torch.cmul(g, torch.polygamma(x, n + 1)) end) }
-- At (0, 0) the gradient is 0, one of the subgradients.
rules.hypot = {
  'where(eq(result, 0), 0, cmul(g, cdiv(x, where(eq(result, 0), 1, result))))',
  'where(eq(result, 0), 0, cmul(g, cdiv(y, where(eq(result, 0), 1, result))))',
}
