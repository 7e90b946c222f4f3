-- Derivatives of incomplete gamma and beta functions. Those for parameters follow from slopes of the quantile: P(a, x(a)) is constant.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving, cmul, cdiv, where, eq = rules.saving, torch.cmul, torch.cdiv, torch.where, torch.eq

-- Parameters, with the least for 0: slopes at 0 are those of the limit, which are as exact as the parameter is small.
local least = 1e-30
local function inside(a) return where(eq(a, 0), least, a) end

-- The product of a factor with another one, which may be infinite where the first is 0.
local function times(zero, factor) return where(eq(zero, 0), 0, cmul(zero, factor)) end

-- The derivative of gammainc for a. At x = 0, where the density may be infinite, it is 0.
local function gammaincByA(a, x)
  local own, isZero = inside(a), eq(x, 0)
  local positive = where(isZero, 1, x)
  local slope = cmul(torch.gammainc_slope(own, torch.log(positive)), cmul(positive, torch.gammainc_density(own, positive)))
  return where(isZero, 0, torch.neg(slope))
end

rules.gammainc = {
  saving('a, x', function(g, a, x) return cmul(g, gammaincByA(a, x)) end),
  'cmul(g, gammainc_density(a, x))',
}
rules.gammaincc = {
  saving('a, x', function(g, a, x) return torch.neg(cmul(g, gammaincByA(a, x))) end),
  'neg(cmul(g, gammainc_density(a, x)))',
}

-- The quantile's slope for a is x times that of its logarithm, which is infinite at 0.
local function quantileByA(g, a, x) return cmul(g, times(x, torch.gammainc_slope(a, torch.log(x)))) end

rules.gammaincinv = { saving('a, result', quantileByA), 'cdiv(g, gammainc_density(a, result))' }
rules.gammainccinv = { saving('a, result', quantileByA), 'neg(cdiv(g, gammainc_density(a, result)))' }

-- Slopes of the gamma density. For a at a = 0 that of 1 / gamma(a) is 1; for x at x = 0 powers are taken as one, since (a - 1) / x is
-- infinite.
local function gammaDensityByA(a, x, result)
  local usual = times(result, torch.log(x) - torch.digamma(inside(a)))
  return where(eq(a, 0), cdiv(torch.exp(torch.neg(x)), x), usual)
end

local function gammaDensityByX(a, x, result)
  local usual = cmul(result, cdiv(a - 1, x) - 1)
  local atZero = times(a - 1, torch.exp(torch.xlogy(a - 2, x) - torch.lgamma(a))) - result
  return where(eq(x, 0), atZero, usual)
end

rules.gammainc_density = {
  saving('a, x, result', function(g, a, x, result) return cmul(g, gammaDensityByA(a, x, result)) end),
  saving('a, x, result', function(g, a, x, result) return cmul(g, gammaDensityByX(a, x, result)) end),
}
rules.gammainc_slope = rules.refuse 'the derivative for a of an incomplete gamma function is not differentiable again'

rules.betaln = {
  'cmul(g, csub(digamma(a), digamma(add(a, b))))',
  'cmul(g, csub(digamma(b), digamma(add(a, b))))',
}

-- x (1 - x) times the density; 0 at the ends, where the density may be infinite.
local function weight(a, b, x)
  local rest = cmul(x, torch.rsub(x, 1))
  return times(rest, torch.betainc_density(a, b, where(eq(rest, 0), 0.5, x)))
end

-- The derivative of betainc for a parameter.
local function betaincBy(slope)
  return function(g, a, b, x)
    a, b = inside(a), inside(b)
    return cmul(g, cmul(weight(a, b, x), slope(a, b, x)))
  end
end

-- The derivative of the quantile for a parameter.
local function betaQuantileBy(slope)
  return function(g, a, b, x) return torch.neg(cmul(g, times(cmul(x, torch.rsub(x, 1)), slope(a, b, x)))) end
end

-- The derivative of the beta density for a parameter, from the logarithm of the factor whose power it is.
local function betaDensityBy(g, parameter, a, b, result, logarithm)
  return cmul(g, times(result, logarithm - torch.digamma(parameter) + torch.digamma(torch.add(a, b))))
end

-- For x; at the ends powers are taken as one, since (a - 1) / x or (b - 1) / (1 - x) is infinite.
local function betaDensityByX(g, a, b, x, result)
  local rest, minusX = torch.rsub(x, 1), torch.neg(x)
  local usual = cmul(result, cdiv(a - 1, x) - cdiv(b - 1, rest))
  local function product(p, q) return torch.exp(torch.xlogy(p, x) + torch.xlog1py(q, minusX) - torch.betaln(a, b)) end
  local atEnd = times(a - 1, product(a - 2, b - 1)) - times(b - 1, product(a - 1, b - 2))
  return cmul(g, where(eq(cmul(x, rest), 0), atEnd, usual))
end

rules.betainc = {
  saving('a, b, x', betaincBy(torch.betainc_slope_a)),
  saving('a, b, x', betaincBy(torch.betainc_slope_b)),
  saving('a, b, x', function(g, a, b, x) return cmul(g, torch.betainc_density(inside(a), inside(b), x)) end),
}
rules.betaincinv = {
  saving('a, b, result', betaQuantileBy(torch.betainc_slope_a)),
  saving('a, b, result', betaQuantileBy(torch.betainc_slope_b)),
  'cdiv(g, betainc_density(a, b, result))',
}
rules.betainc_density = {
  saving('a, b, x, result', function(g, a, b, x, result) return betaDensityBy(g, a, a, b, result, torch.log(x)) end),
  saving('a, b, x, result', function(g, a, b, x, result) return betaDensityBy(g, b, a, b, result, torch.log1p(torch.neg(x))) end),
  saving('a, b, x, result', betaDensityByX),
}
for _, name in ipairs { 'betainc_slope_a', 'betainc_slope_b' } do
  rules[name] = rules.refuse 'the derivatives for a and b of an incomplete beta function are not differentiable again'
end
