--- NumPy's samplers of continuous distributions: the same numbers in the same order as numpy.random.RandomState.
-- Sources of the methods: Marsaglia & Tsang (2000) for gamma variates, Johnk (1964) for beta variates, Best & Fisher (1979) for von Mises
-- variates, Michael, Schucany & Haas (1976) for inverse normal variates.
-- @module randomkit.continuous
local source = require 'randomkit.source'

local double, gauss = source.double, source.gauss
local exp, log, sqrt, floor, pi, huge = math.exp, math.log, math.sqrt, math.floor, math.pi, math.huge

local continuous = {}

function continuous.standard_exponential() return -log(1 - double()) end
local exponential = continuous.standard_exponential

function continuous.standard_cauchy()
  local x = gauss()
  return x / gauss()
end

local function smallGamma(shape)
  while true do
    local u, v = double(), exponential()
    if u <= 1 - shape then
      local x = u ^ (1 / shape)
      if x <= v then return x end
    else
      local y = -log((1 - u) / shape)
      local x = (1 - shape + shape * y) ^ (1 / shape)
      if x <= v + y then return x end
    end
  end
end

function continuous.standard_gamma(shape)
  if not (shape >= 0 and shape < huge) then return 0 / 0 end
  if shape == 0 then return 0 end
  if shape == 1 then return exponential() end
  if shape < 1 then return smallGamma(shape) end
  local b = shape - 1 / 3
  local c = 1 / sqrt(9 * b)
  while true do
    local x, v
    repeat
      x = gauss()
      v = 1 + c * x
    until v > 0
    v = v * v * v
    local u = double()
    if u < 1 - 0.0331 * (x * x) * (x * x) then return b * v end
    if log(u) < 0.5 * x * x + b * (1 - v + log(v)) then return b * v end
  end
end
local gamma = continuous.standard_gamma

function continuous.exponential(scale) return scale * exponential() end
function continuous.normal(loc, scale) return loc + scale * gauss() end
function continuous.lognormal(mean, sigma) return exp(mean + sigma * gauss()) end
function continuous.gamma(shape, scale) return scale * gamma(shape) end
function continuous.uniform(low, high) return low + (high - low) * double() end
function continuous.chisquare(df) return 2 * gamma(df / 2) end
local chisquare = continuous.chisquare

function continuous.beta(a, b)
  if not (a > 0 and b > 0) then return 0 / 0 end
  if a <= 1 and b <= 1 then
    while true do
      local u, v = double(), double()
      local x, y = u ^ (1 / a), v ^ (1 / b)
      if x + y <= 1 and u + v > 0 then
        if x + y > 0 then return x / (x + y) end
        local logX, logY = log(u) / a, log(v) / b
        local most = math.max(logX, logY)
        logX, logY = logX - most, logY - most
        return exp(logX - log(exp(logX) + exp(logY)))
      end
    end
  end
  local x = gamma(a)
  return x / (x + gamma(b))
end

function continuous.f(dfnum, dfden)
  local x = chisquare(dfnum) * dfden
  return x / (chisquare(dfden) * dfnum)
end

function continuous.noncentral_chisquare(df, nonc)
  if nonc == 0 then return chisquare(df) end
  if df > 1 then
    local rest = chisquare(df - 1)
    local n = gauss() + sqrt(nonc)
    return rest + n * n
  end
  return chisquare(df + 2 * require('randomkit.discrete').poisson(nonc / 2))
end

function continuous.noncentral_f(dfnum, dfden, nonc)
  local x = continuous.noncentral_chisquare(dfnum, nonc) * dfden
  return x / (chisquare(dfden) * dfnum)
end

function continuous.standard_t(df)
  local x = gauss()
  local y = gamma(df / 2)
  return sqrt(df / 2) * x / sqrt(y)
end

function continuous.pareto(a) return exp(exponential() / a) - 1 end
function continuous.weibull(a) return a == 0 and 0 or exponential() ^ (1 / a) end
function continuous.power(a) return (1 - exp(-exponential())) ^ (1 / a) end
function continuous.rayleigh(mode) return mode * sqrt(-2 * log(1 - double())) end

function continuous.laplace(loc, scale)
  while true do
    local u = double()
    if u >= 0.5 then return loc - scale * log(2 - u - u) end
    if u > 0 then return loc + scale * log(u + u) end
  end
end

function continuous.gumbel(loc, scale)
  while true do
    local u = 1 - double()
    if u < 1 then return loc - scale * log(-log(u)) end
  end
end

function continuous.logistic(loc, scale)
  while true do
    local u = double()
    if u > 0 then return loc + scale * log(u / (1 - u)) end
  end
end

function continuous.wald(mean, scale)
  local half = mean / (2 * scale)
  local y = gauss()
  y = mean * y * y
  local x = mean + half * (y - sqrt(4 * scale * y + y * y))
  return double() <= mean / (mean + x) and x or mean * mean / x
end

function continuous.vonmises(mu, kappa)
  if kappa ~= kappa or kappa == huge or mu ~= mu then return 0 / 0 end
  if kappa < 1e-8 then return pi * (2 * double() - 1) end
  local s = 1 / kappa + kappa
  if kappa >= 1e-5 then
    local r = 1 + sqrt(1 + 4 * kappa * kappa)
    local rho = (r - sqrt(2 * r)) / (2 * kappa)
    s = (1 + rho * rho) / (2 * rho)
  end
  local w
  repeat
    local z = math.cos(pi * double())
    w = (1 + s * z) / (s + z)
    local y = kappa * (s - w)
    local v = double()
  until y * (2 - y) - v >= 0 or log(y / v) + 1 - y >= 0
  local angle = math.acos(w)
  if double() < 0.5 then angle = -angle end
  angle = angle + mu
  local magnitude = math.abs(angle) + pi
  magnitude = magnitude - 2 * pi * floor(magnitude / (2 * pi)) - pi
  return angle < 0 and -magnitude or magnitude
end

function continuous.triangular(left, mode, right)
  local base, below = right - left, mode - left
  local u = double()
  if u <= below / base then return left + sqrt(u * below * base) end
  return right - sqrt((1 - u) * (right - mode) * base)
end

return continuous
