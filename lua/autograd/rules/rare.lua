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

-- (cos(x) - sin(x) / x) / x cancels near 0: there its series, of which the last term is below 1e-14 of the first.
local function slopeOfSphericalBesselJ0(g, y, x)
  local isSmall, isInfinite = torch.lt(torch.abs(x), 0.5), torch.eq(torch.abs(x), math.huge)
  local near = torch.where(isSmall, x, 0)
  local square = torch.square(near)
  local series = torch.mul(square, 1 / 518918400)
  for _, c in ipairs { -1 / 3991680, 1 / 45360, -1 / 840, 1 / 30 } do series = torch.cmul(square, torch.add(series, c)) end
  series = torch.add(series, -1 / 3)
  local far = torch.where(torch.add(isSmall, isInfinite), 1, x)
  local quotient = torch.cdiv(torch.cos(far) - y, far)
  return torch.cmul(g, torch.where(isInfinite, 0, torch.where(isSmall, torch.cmul(near, series), quotient)))
end
rules.sphericalBesselJ0 = { saving('result, x', slopeOfSphericalBesselJ0) }
rules.erfcx = { saving('result, x', function(g, y, x)
  local isFar = torch.eq(x, math.huge)
  return torch.cmul(g, torch.where(isFar, 0, torch.mul(torch.cmul(torch.where(isFar, 0, x), y), 2) - 1.1283791670955126))
end) }
rules.ndtri = { 'mul(cmul(g, exp(mul(square(result), 0.5))), 2.5066282746310002)' }

-- The density over the distribution function; below 0, where both vanish, by erfcx.
local function slopeOfLogNdtr(g, y, x)
  local isBelow = torch.lt(x, 0)
  local below = torch.mul(torch.pow(torch.erfcx(torch.mul(torch.where(isBelow, x, 0), -0.7071067811865476)), -1), 0.7978845608028654)
  local above, value = torch.where(isBelow, 0, x), torch.where(isBelow, 0, y)
  local ratio = torch.mul(torch.exp(torch.mul(torch.square(above), -0.5) - value), 0.3989422804014327)
  return torch.cmul(g, torch.where(isBelow, below, ratio))
end
rules.logNdtr = { saving('result, x', slopeOfLogNdtr) }

-- The derivative for x would need another series; PyTorch has none either.
local function refuse(_, _) error('zeta: backward: x has no derivative here, expected a gradient of q alone', 0) end
rules.zeta = { saving('x', refuse), 'neg(cmul(cmul(g, x), zeta(add(x, 1), q)))' }
