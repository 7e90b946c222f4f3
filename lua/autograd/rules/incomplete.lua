-- Derivatives of incomplete gamma and beta functions. Those for parameters follow from slopes of the quantile: P(a, x(a)) is constant.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving, cmul = rules.saving, torch.cmul

-- The derivative of gammainc for a. At x = 0, where the density may be infinite, it is 0.
local function gammaincByA(a, x)
  local inside = torch.where(torch.eq(x, 0), 1, x)
  local slope = cmul(torch.gammainc_slope(a, torch.log(inside)), cmul(inside, torch.gammainc_density(a, inside)))
  return torch.where(torch.eq(x, 0), 0, torch.neg(slope))
end

rules.gammainc = {
  saving('a, x', function(g, a, x) return cmul(g, gammaincByA(a, x)) end),
  'cmul(g, gammainc_density(a, x))',
}
rules.gammaincc = {
  saving('a, x', function(g, a, x) return torch.neg(cmul(g, gammaincByA(a, x))) end),
  'neg(cmul(g, gammainc_density(a, x)))',
}

-- The quantile's slope for a is x times that of its logarithm.
local function quantileByA(g, a, x) return cmul(g, cmul(x, torch.gammainc_slope(a, torch.log(x)))) end

rules.gammaincinv = { saving('a, result', quantileByA), 'cdiv(g, gammainc_density(a, result))' }
rules.gammainccinv = { saving('a, result', quantileByA), 'neg(cdiv(g, gammainc_density(a, result)))' }

rules.gammainc_density = {
  'cmul(cmul(g, result), csub(log(x), digamma(a)))',
  'cmul(cmul(g, result), add(cdiv(add(a, -1), x), -1))',
}
rules.gammainc_slope = rules.refuse 'the derivative for a of an incomplete gamma function is not differentiable again'

rules.betaln = {
  'cmul(g, csub(digamma(a), digamma(add(a, b))))',
  'cmul(g, csub(digamma(b), digamma(add(a, b))))',
}

-- x (1 - x) times the density; 0 at the ends, where the density may be infinite.
local function weight(a, b, x)
  local rest = cmul(x, torch.rsub(x, 1))
  local isEnd = torch.eq(rest, 0)
  return torch.where(isEnd, 0, cmul(rest, torch.betainc_density(a, b, torch.where(isEnd, 0.5, x))))
end

rules.betainc = {
  saving('a, b, x', function(g, a, b, x) return cmul(g, cmul(weight(a, b, x), torch.betainc_slope_a(a, b, x))) end),
  saving('a, b, x', function(g, a, b, x) return cmul(g, cmul(weight(a, b, x), torch.betainc_slope_b(a, b, x))) end),
  'cmul(g, betainc_density(a, b, x))',
}
rules.betaincinv = {
  'neg(cmul(g, cmul(cmul(result, rsub(result, 1)), betainc_slope_a(a, b, result))))',
  'neg(cmul(g, cmul(cmul(result, rsub(result, 1)), betainc_slope_b(a, b, result))))',
  'cdiv(g, betainc_density(a, b, result))',
}
rules.betainc_density = {
  'cmul(cmul(g, result), add(csub(log(x), digamma(a)), digamma(add(a, b))))',
  'cmul(cmul(g, result), add(csub(log1p(neg(x)), digamma(b)), digamma(add(a, b))))',
  'cmul(cmul(g, result), csub(cdiv(add(a, -1), x), cdiv(add(b, -1), rsub(x, 1))))',
}
for _, name in ipairs { 'betainc_slope_a', 'betainc_slope_b' } do
  rules[name] = rules.refuse 'the derivatives for a and b of an incomplete beta function are not differentiable again'
end
