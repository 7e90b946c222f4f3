--- NumPy's samplers of discrete distributions: the same numbers in the same order as numpy.random.RandomState.
-- Sources of the methods: Hormann (1993) for Poisson variates, Kachitvichyanukul & Schmeiser (1988) for binomial ones, Stadlober (1990) for
-- hypergeometric ones, Devroye (1986) for Zipf's, Kemp (1981) for logarithmic series.
-- @module randomkit.discrete
local source, continuous = require 'randomkit.source', require 'randomkit.continuous'

local double = source.double
local exp, log, sqrt, floor, abs, min, max = math.exp, math.log, math.sqrt, math.floor, math.abs, math.min, math.max
local nan = 0 / 0

local discrete = {}

-- The logarithm of the gamma function by Stirling's series: acceptance depends on its last digits.
local stirling = {
  8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04, -5.952380952380952e-04, 8.417508417508418e-04,
  -1.917526917526918e-03, 6.410256410256410e-03, -2.955065359477124e-02, 1.796443723688307e-01, -1.39243221690590e+00,
}
local function logGamma(x)
  if x == 1 or x == 2 then return 0 end
  local n = x < 7 and floor(7 - x) or 0
  local x0 = x + n
  local square, sum = (1 / x0) * (1 / x0), stirling[10]
  for k = 9, 1, -1 do sum = sum * square + stirling[k] end
  local value = sum / x0 + 0.5 * log(2 * math.pi) + (x0 - 0.5) * log(x0) - x0
  for _ = 1, n do
    value = value - log(x0 - 1)
    x0 = x0 - 1
  end
  return value
end

local function smallPoisson(lam)
  local least, x, product = exp(-lam), 0, 1
  while true do
    product = product * double()
    if product <= least then return x end
    x = x + 1
  end
end

function discrete.poisson(lam)
  if not (lam >= 0 and lam < 2 ^ 63) then return nan end
  if lam == 0 then return 0 end
  if lam < 10 then return smallPoisson(lam) end
  local root, logLam = sqrt(lam), log(lam)
  local b = 0.931 + 2.53 * root
  local a = -0.059 + 0.02483 * b
  local invAlpha, vr = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
  while true do
    local u, v = double() - 0.5, double()
    local us = 0.5 - abs(u)
    local k = floor((2 * a / us + b) * u + lam + 0.43)
    if us >= 0.07 and v <= vr then return k end
    if k >= 0 and not (us < 0.013 and v > us)
      and log(v) + log(invAlpha) - log(a / (us * us) + b) <= -lam + k * logLam - logGamma(k + 1) then
      return k
    end
  end
end

local function smallBinomial(n, p)
  local q = 1 - p
  local qn, np = exp(n * log(q)), n * p
  local bound = floor(min(n, np + 10 * sqrt(np * q + 1)))
  local x, px, u = 0, qn, double()
  while u > px do
    x = x + 1
    if x > bound then
      x, px, u = 0, qn, double()
    else
      u = u - px
      px = (n - x + 1) * p * px / (x * q)
    end
  end
  return x
end

local function series(f) return (13680 - (462 - (132 - (99 - 140 / f) / f) / f) / f) end

-- Whether the ratio of the probabilities of y and of the mode m is at least v.
local function acceptsBinomial(n, p, q, m, nrq, xm, y, v)
  local k = abs(y - m)
  if not (k > 20 and k < nrq / 2 - 1) then
    local s, f = p / q, 1
    local a = s * (n + 1)
    for i = m + 1, y do f = f * (a / i - s) end
    for i = y + 1, m do f = f / (a / i - s) end
    return v <= f
  end
  local rho = k / nrq * ((k * (k / 3 + 0.625) + 0.16666666666666666) / nrq + 0.5)
  local t, logV = -k * k / (2 * nrq), log(v)
  if logV < t - rho then return true end
  if logV > t + rho then return false end
  local x1, f1, z, w = y + 1, m + 1, n + 1 - m, n - y + 1
  local bound = xm * log(f1 / x1) + (n - m + 0.5) * log(z / w) + (y - m) * log(w * p / (x1 * q))
    + series(f1 * f1) / f1 / 166320 + series(z * z) / z / 166320 + series(x1 * x1) / x1 / 166320 + series(w * w) / w / 166320
  return logV <= bound
end

local function largeBinomial(n, p)
  local q = 1 - p
  local fm = n * p + p
  local m, nrq = floor(fm), n * p * q
  local p1 = floor(2.195 * sqrt(nrq) - 4.6 * q) + 0.5
  local xm = m + 0.5
  local xl, xr, c = xm - p1, xm + p1, 0.134 + 20.5 / (15.3 + m)
  local a = (fm - xl) / (fm - xl * p)
  local left = a * (1 + a / 2)
  a = (xr - fm) / (xr * q)
  local right = a * (1 + a / 2)
  local p2 = p1 * (1 + 2 * c)
  local p3 = p2 + c / left
  local p4 = p3 + c / right
  while true do
    local u, v = double() * p4, double()
    if u <= p1 then return floor(xm - p1 * v + u) end
    local y
    if u <= p2 then
      local x = xl + (u - p1) / c
      v = v * c + 1 - abs(m - x + 0.5) / p1
      y = v <= 1 and floor(x) or nil
    elseif v > 0 and u <= p3 then
      y = floor(xl + log(v) / left)
      y, v = y >= 0 and y or nil, v * (u - p2) * left
    elseif v > 0 then
      y = floor(xr - log(v) / right)
      y, v = y <= n and y or nil, v * (u - p3) * right
    end
    if y and acceptsBinomial(n, p, q, m, nrq, xm, y, v) then return y end
  end
end

function discrete.binomial(n, p)
  if not (n >= 0 and p >= 0 and p <= 1) then return nan end
  n = floor(n)
  if n == 0 or p == 0 then return 0 end
  local small = min(p, 1 - p)
  local count = small * n <= 30 and smallBinomial(n, small) or nil
  count = count or largeBinomial(n, small)
  return p <= 0.5 and count or n - count
end

function discrete.negative_binomial(n, p) return discrete.poisson(continuous.gamma(n, (1 - p) / p)) end

function discrete.geometric(p)
  if not (p > 0 and p <= 1) then return nan end
  if p < 1 / 3 then return math.ceil(log(1 - double()) / log(1 - p)) end
  local x, sum, product, u = 1, p, p, double()
  while u > sum do
    product = product * (1 - p)
    sum = sum + product
    x = x + 1
  end
  return x
end

function discrete.zipf(a)
  if a <= 1 or a ~= a then return nan end
  local less = a - 1
  local b = 2 ^ less
  while true do
    local u, v = 1 - double(), double()
    local x = floor(u ^ (-1 / less))
    if x >= 1 and x <= 2 ^ 63 then
      local t = (1 + 1 / x) ^ less
      if v * x * (t - 1) / (b - 1) <= t / b then return x end
    end
  end
end

function discrete.logseries(p)
  if not (p > 0 and p < 1) then return nan end
  local r = log(1 - p)
  while true do
    local v = double()
    if v >= p then return 1 end
    local q = 1 - exp(r * double())
    if v <= q * q then
      local x = floor(1 + log(v) / log(q))
      if x >= 1 and v ~= 0 then return x end
    else
      return v >= q and 1 or 2
    end
  end
end

local function smallHypergeometric(good, bad, sample)
  local rest, most = bad + good - sample, min(bad, good)
  local y, k = most, sample
  while y > 0 do
    y = y - floor(double() + y / (rest + k))
    k = k - 1
    if k == 0 then break end
  end
  local z = most - y
  return good > bad and sample - z or z
end

local function largeHypergeometric(good, bad, sample)
  local fewer, more, size = min(good, bad), max(good, bad), good + bad
  local m = min(sample, size - sample)
  local share = fewer / size
  local center = m * share + 0.5
  local deviation = sqrt((size - m) * sample * share * (1 - share) / (size - 1) + 0.5)
  local width = 1.7155277699214135 * deviation + 0.8989161620588988
  local mode = floor((m + 1) * (fewer + 1) / (size + 2))
  local function terms(z) return logGamma(z + 1) + logGamma(fewer - z + 1) + logGamma(m - z + 1) + logGamma(more - m + z + 1) end
  local top, bound = terms(mode), min(min(m, fewer) + 1, floor(center + 16 * deviation))
  local z
  while true do
    local x, y = double(), double()
    local w = center + width * (y - 0.5) / x
    if w >= 0 and w < bound then
      z = floor(w)
      local t = top - terms(z)
      if x * (4 - x) - 3 <= t then break end
      if x * (x - t) < 1 and 2 * log(x) <= t then break end
    end
  end
  if good > bad then z = m - z end
  return m < sample and good - z or z
end

function discrete.hypergeometric(good, bad, sample)
  good, bad, sample = floor(good), floor(bad), floor(sample)
  if not (good >= 0 and bad >= 0 and sample >= 0 and sample <= good + bad) then return nan end
  if sample > 10 then return largeHypergeometric(good, bad, sample) end
  return sample > 0 and smallHypergeometric(good, bad, sample) or 0
end

function discrete.interval(most) return source.interval(floor(most)) end
function discrete.randint(low, high) return floor(low) + source.interval(floor(high) - floor(low)) end

return discrete
