-- Derivatives of Bessel functions, of functions of the normal distribution, and of the zeta function.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

-- Quotients by x with the limit at 0, where the numerator is 0, too.
local function over(y, x, limit)
  local isZero = torch.eq(x, 0)
  return torch.where(isZero, limit, torch.cdiv(y, torch.where(isZero, 1, x)))
end

rules.besselJ0 = { 'neg(cmul(g, besselJ1(x)))' }
rules.besselJ1 = { saving('result, x', function(g, y, x) return torch.cmul(g, torch.besselJ0(x) - over(y, x, 0.5)) end) }
rules.besselY0 = { 'neg(cmul(g, besselY1(x)))' }
rules.besselY1 = { 'cmul(g, csub(besselY0(x), cdiv(result, x)))' }
rules.i0 = { 'cmul(g, i1(x))' }
rules.i1 = { saving('result, x', function(g, y, x) return torch.cmul(g, torch.i0(x) - over(y, x, 0.5)) end) }
rules.i0e = { 'cmul(g, csub(i1e(x), cmul(sign(x), result)))' }
rules.i1e = { saving('result, x', function(g, y, x)
  return torch.cmul(g, torch.i0e(x) - torch.cmul(torch.sign(x), y) - over(y, x, 0.5))
end) }
rules.modifiedBesselK0 = { 'neg(cmul(g, modifiedBesselK1(x)))' }
rules.modifiedBesselK1 = { 'neg(cmul(g, add(modifiedBesselK0(x), cdiv(result, x))))' }
rules.scaledModifiedBesselK0 = { 'cmul(g, csub(result, scaledModifiedBesselK1(x)))' }
rules.scaledModifiedBesselK1 = { 'cmul(g, csub(csub(result, cdiv(result, x)), scaledModifiedBesselK0(x)))' }
rules.sphericalBesselJ0 = { saving('result, x', function(g, y, x) return torch.cmul(g, over(torch.cos(x) - y, x, 0)) end) }
rules.erfcx = { 'cmul(g, add(mul(cmul(x, result), 2), -1.1283791670955126))' }
rules.ndtri = { 'mul(cmul(g, exp(mul(square(result), 0.5))), 2.5066282746310002)' }
rules.logNdtr = { 'mul(cmul(g, exp(csub(mul(square(x), -0.5), result))), 0.3989422804014327)' }
-- The derivative for x would need another series; PyTorch has none either.
local function refuse(_, _) error('zeta: backward: x has no derivative here, expected a gradient of q alone', 0) end
rules.zeta = { saving('x', refuse), 'neg(cmul(cmul(g, x), zeta(add(x, 1), q)))' }
