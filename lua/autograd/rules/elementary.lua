-- Derivatives of elementary functions.
local torch, rules = require 'torch', require 'autograd.rules'
local complex = require 'torch.names.complex'

rules.exp = { 'cmul(g, result)' }
rules.expm1 = { 'addcmul(g, g, result)' }
rules.log = { 'cdiv(g, x)' }
rules.log1p = { 'cdiv(g, add(x, 1))' }
rules.sqrt = { 'cdiv(g, mul(result, 2))' }
rules.rsqrt = { 'mul(cmul(g, pow(result, 3)), -0.5)' }

rules.sin = { 'cmul(g, cos(x))' }
rules.cos = { 'neg(cmul(g, sin(x)))' }
rules.tan = { 'addcmul(g, cmul(g, result), result)' }
-- 1 - x^2 as (1 - x) (1 + x), which is exact near 1.
rules.asin = { 'cdiv(g, sqrt(cmul(rsub(x, 1), add(x, 1))))' }
rules.acos = { 'neg(cdiv(g, sqrt(cmul(rsub(x, 1), add(x, 1)))))' }
rules.atan = { 'cdiv(g, add(square(x), 1))' }
rules.atan2 = {
  'cdiv(cmul(g, cdiv(x, hypot(x, y))), hypot(x, y))',
  'neg(cdiv(cmul(g, cdiv(y, hypot(x, y))), hypot(x, y)))',
}
rules.angle = { rules.saving('z', function(g, z)
  return complex.is(z) and torch.mul(torch.cdiv(g, z), complex.number(0, -1)) or torch.mul(g, 0)
end) }
rules.sinh = { 'cmul(g, cosh(x))' }
rules.cosh = { 'cmul(g, sinh(x))' }
rules.tanh = { 'tanh_grad(g, result)' }
rules.tanh_grad = { 'tanh_grad(h, y)', 'mul(cmul(cmul(h, g), y), -2)' }

rules.sigmoid = { 'sigmoid_grad(g, result)' }
rules.sigmoid_grad = { 'sigmoid_grad(h, y)', 'cmul(cmul(h, g), rsub(mul(y, 2), 1))' }
rules.softplus = { 'cmul(g, sigmoid(x))' }
rules.erf = { 'mul(cmul(g, exp(neg(square(x)))), 1.1283791670955126)' }
rules.logaddexp = { 'cmul(g, sigmoid(csub(a, b)))', 'cmul(g, sigmoid(neg(csub(a, b))))' }
