-- Derivatives of elementary functions.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }
local saving = rules.saving

rules.exp = { 'cmul(g, result)' }
rules.expm1 = { 'addcmul(g, g, result)' }
rules.log = { 'cdiv(g, x)' }
rules.log1p = { 'cdiv(g, add(x, 1))' }
rules.sqrt = { 'cdiv(g, mul(result, 2))' }
rules.rsqrt = { 'mul(cmul(g, pow(result, 3)), -0.5)' }

rules.sin = { 'cmul(g, cos(x))' }
rules.cos = { 'neg(cmul(g, sin(x)))' }
rules.tan = { 'addcmul(g, cmul(g, result), result)' }
rules.asin = { 'cmul(g, rsqrt(rsub(square(x), 1)))' }
rules.acos = { 'neg(cmul(g, rsqrt(rsub(square(x), 1))))' }
rules.atan = { 'cdiv(g, add(square(x), 1))' }
rules.atan2 = {
  'cdiv(cmul(g, x), add(square(x), square(y)))',
  saving('y, x', function(g, y, x) return torch.neg(torch.cdiv(torch.cmul(g, y), torch.add(torch.square(x), torch.square(y)))) end),
}
rules.sinh = { 'cmul(g, cosh(x))' }
rules.cosh = { 'cmul(g, sinh(x))' }
rules.tanh = { 'tanh_grad(g, result)' }
rules.tanh_grad = {
  'tanh_grad(g, y)',
  saving('g, y', function(h, g, y) return torch.mul(torch.cmul(torch.cmul(h, g), y), -2) end),
}

rules.sigmoid = { 'sigmoid_grad(g, result)' }
rules.sigmoid_grad = {
  'sigmoid_grad(g, y)',
  saving('g, y', function(h, g, y) return torch.cmul(torch.cmul(h, g), torch.rsub(torch.mul(y, 2), 1)) end),
}
rules.softplus = { 'cmul(g, sigmoid(x))' }
rules.erf = { saving('x', function(g, x)
  return torch.mul(torch.cmul(g, torch.exp(torch.neg(torch.square(x)))), 2 / math.sqrt(math.pi))
end) }
rules.logaddexp = { 'cmul(g, sigmoid(csub(a, b)))', 'cmul(g, sigmoid(neg(csub(a, b))))' }
