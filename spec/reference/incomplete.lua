-- Incomplete gamma and beta functions as integrals, by Takahasi & Mori's quadrature.
local lift = require('torch.sweep.elementwise').lift
local special = require 'spec.reference.special'

local exp, log, huge, nan = math.exp, math.log, math.huge, 0 / 0

-- The reference of another op, for one number.
local function number(name)
  return function(x) return special[name] { type = 'torch.DoubleTensor', sizes = { 1 }, data = { x } }.data[1] end
end
local function once(f)
  local known = {}
  return function(x)
    if not known[x] then known[x] = f(x) end
    return known[x]
  end
end
local lgamma, digamma = once(number 'lgamma'), once(number 'digamma')
local function logBeta(a, b) return lgamma(a) + lgamma(b) - lgamma(a + b) end

local function float(f) return lift(f, { float = true, terms = true }) end

-- The integral of f over 0..1, which may have singularities at the ends; f gets s and log(s). From the middle on to each end.
local function unitIntegral(f)
  local sum, step = 0, 1 / 16
  for direction = -1, 1, 2 do
    for i = direction == 1 and 1 or 0, 100 do
      local t = direction * i * step
      local u = math.pi * math.sinh(t)
      local s = 1 / (1 + exp(-u))
      local term = math.pi * math.cosh(t) * s / (1 + exp(u)) * f(s, u > 0 and -log(1 + exp(-u)) or u - log(1 + exp(u)))
      sum = sum + term
      if math.abs(term) < 1e-18 * math.abs(sum) then break end
    end
  end
  return sum * step
end

-- The integral of t^(a - 1) exp(-t) w(log(t)) over 0..x by t = x s^(1 / a).
local function gammaIntegral(a, x, w)
  return exp(a * log(x)) / a * unitIntegral(function(_, logS)
    local logT = log(x) + logS / a
    return exp(-exp(logT)) * w(logT)
  end)
end

local function one() return 1 end

-- The integral of t^(a - 1) exp(-t) w(log(t)) over t from x to infinity by t = x - log(s).
local function upperIntegral(a, x, w)
  return exp(-x) * unitIntegral(function(_, logS)
    local logT = log(x - logS)
    return exp((a - 1) * logT) * w(logT)
  end)
end

local function lower(a, x)
  if not (a >= 0 and x >= 0) or a == 0 and x == 0 then return nan end
  if a == 0 or x == huge then return 1 end
  if x == 0 then return 0 end
  return gammaIntegral(a, x, one) / exp(lgamma(a))
end

local function upper(a, x)
  if not (a >= 0 and x >= 0) or a == 0 and x == 0 then return nan end
  if a == 0 or x == huge then return 0 end
  if x == 0 then return 1 end
  return upperIntegral(a, x, one) / exp(lgamma(a))
end

-- The point between bounds where a function that increases has a value, by the Illinois method.
local function solve(f, value, low, high)
  local below, above = f(low) - value, f(high) - value
  for _ = 1, 200 do
    local middle = (low * above - high * below) / (above - below)
    local y = f(middle) - value
    if y == 0 or middle == low or middle == high then return middle end
    if y < 0 then low, below, above = middle, y, above / 2 else high, above, below = middle, y, below / 2 end
  end
  return (low + high) / 2
end

local function gammaDensity(a, x)
  if not (a >= 0 and x >= 0) then return nan end
  if x == 0 then return a < 1 and huge or a == 1 and 1 or 0 end
  return exp((a - 1) * log(x) - x - lgamma(a))
end

local function gammaSlope(a, logX)
  if a <= 0 then return nan end
  if logX == -huge then return 0 end
  local psi, x = digamma(a), exp(logX)
  local function w(logT) return logT - psi end
  return (x > a and upperIntegral(a, x, w) or -gammaIntegral(a, x, w)) / exp(a * logX - x)
end

-- The integral of t^(a - 1) (1 - t)^(b - 1) w(log(t), log(1 - t)) over 0..x by t = x s^(1 / a).
local function betaIntegral(a, b, x, w)
  return exp(a * log(x)) / a * unitIntegral(function(_, logS)
    local logT = log(x) + logS / a
    local logRest = log(1 - exp(logT))
    return exp((b - 1) * logRest) * w(logT, logRest)
  end)
end

local function beta(a, b, x)
  local isKnown = a >= 0 and b >= 0 and a + b > 0 and x >= 0 and x <= 1
  if not isKnown then return nan end
  if x == 0 or x == 1 then return x end
  if a == 0 or b == 0 then return a == 0 and 1 or 0 end
  return betaIntegral(a, b, x, one) / exp(logBeta(a, b))
end

local function betaDensity(a, b, x)
  if not (a > 0 and b > 0 and x >= 0 and x <= 1) then return nan end
  local atEnd = x == 0 and { a, b } or x == 1 and { b, a }
  if atEnd then return atEnd[1] < 1 and huge or atEnd[1] == 1 and atEnd[2] or 0 end
  return exp((a - 1) * log(x) + (b - 1) * log(1 - x) - logBeta(a, b))
end

local function betaSlope(w)
  return function(a, b, x)
    if not (a > 0 and b > 0 and x >= 0 and x <= 1) then return nan end
    if x == 0 or x == 1 then return 0 end
    local psiA, psiB, psi = digamma(a), digamma(b), digamma(a + b)
    local integral = betaIntegral(a, b, x, function(logT, logRest) return w(logT - psiA + psi, logRest - psiB + psi) end)
    return integral / exp(a * log(x) + b * log(1 - x))
  end
end

local function inverseGamma(isUpper)
  return function(a, p)
    if not (a > 0 and p >= 0 and p <= 1) then return nan end
    if p == 0 or p == 1 then return (p == 1) == isUpper and 0 or huge end
    local ofUpper = isUpper == (p < 0.5)      -- the part that is solved for, the smaller one
    local function part(logX) return ofUpper and -upper(a, exp(logX)) or lower(a, exp(logX)) end
    local given = isUpper == ofUpper and p or 1 - p
    return exp(solve(part, ofUpper and -given or given, -60, 6))
  end
end

return {
  gammainc = float(lower), gammaincc = float(upper), gammaincinv = float(inverseGamma(false)), gammainccinv = float(inverseGamma(true)),
  gammainc_density = float(gammaDensity), gammainc_slope = float(gammaSlope),
  betaln = float(function(a, b)
    if not (a >= 0 and b >= 0) then return nan end
    return (a == 0 or b == 0) and huge or logBeta(a, b)
  end),
  betainc = float(beta),
  betaincinv = float(function(a, b, p)
    if not (a > 0 and b > 0 and p >= 0 and p <= 1) then return nan end
    if p == 0 or p == 1 then return p end
    return solve(function(x) return beta(a, b, x) end, p, 0, 1)
  end),
  betainc_density = float(betaDensity),
  betainc_slope_a = float(betaSlope(function(byA) return byA end)),
  betainc_slope_b = float(betaSlope(function(_, byB) return byB end)),
}
