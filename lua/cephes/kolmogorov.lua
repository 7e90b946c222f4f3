--- Distributions of Kolmogorov's and Smirnov's statistics; part of the package cephes.
--
-- Sources: Birnbaum and Tingey (1951), "One-sided confidence contours for probability distribution functions"; Loader (2000), "Fast and
-- accurate computation of binomial probabilities".
-- @module cephes.kolmogorov
local define, libm = require 'cephes.define', require 'cephes.libm'
local kolmogorov = require 'distributions.kolmogorov'
local abs, exp, floor, log, pi, sqrt, nan = math.abs, math.exp, math.floor, math.log, math.pi, math.sqrt, 0 / 0

local cephes = {}

-- log(n!) less Stirling's formula.
local function stirlingError(n)
  if n < 16 then return n == 0 and 0 or log(libm.gamma(n + 1)) - (n + 0.5) * log(n) + n - 0.5 * log(2 * pi) end
  local square = n * n
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n
end

-- x log(x / m) + m - x, exact near x = m.
local function deviance(x, m)
  if abs(x - m) < 0.1 * (x + m) then
    local v = (x - m) / (x + m)
    local sum, power = (x - m) * v, 2 * x * v
    for k = 1, 100 do
      power = power * v * v
      local following = sum + power / (2 * k + 1)
      if following == sum then break end
      sum = following
    end
    return sum
  end
  return x * log(x / m) + m - x
end

-- The probability of j successes in n trials, p = 1 - q.
local function binomial(j, n, p, q)
  if p == 0 then return j == 0 and 1 or 0 end
  if q == 0 then return j == n and 1 or 0 end
  if j == 0 then return exp(n * libm.log1p(-p)) end
  if j == n then return p ^ n end
  local exponent = stirlingError(n) - stirlingError(j) - stirlingError(n - j) - deviance(j, n * p) - deviance(n - j, n * q)
  return exp(exponent) * sqrt(n / (2 * pi * j * (n - j)))
end

-- The terms C(n, j) p^(j - 1) q^(n - j), p = d + j / n, q = 1 - p, times d.
local function smirnov(n, d)
  if floor(n) ~= n or not (n >= 1 and n <= 1e6 and d >= 0 and d <= 1) then return nan end
  if d == 0 then return 1 end
  local sum = 0
  for j = 0, floor(n * (1 - d)) do
    local p = d + j / n
    local q = (n - j) / n - d
    if q >= 0 then sum = sum + binomial(j, n, p, q) / p end
  end
  return math.min(1, d * sum)
end

-- The x in low..high at which a falling function is p, by bisection up to the last bit.
local function inverse(f, p, low, high)
  while true do
    local middle = (low + high) / 2
    if middle <= low or middle >= high then return middle end
    if f(middle) > p then low = middle else high = middle end
  end
end

--- Probability that the one-sided statistic of Kolmogorov and Smirnov is above d for n samples: f([result,] n, d), d in 0..1.
-- Relative errors up to 1e-13.
cephes.smirnov = define('smirnov', { 'n', 'd' }, smirnov)

--- The d with smirnov(n, d) = p: f([result,] n, p), p in 0..1.
cephes.smirnovi = define('smirnovi', { 'n', 'p' }, function(n, p)
  if not (p >= 0 and p <= 1) or smirnov(n, 1) ~= smirnov(n, 1) then return nan end
  if p == 0 or p == 1 then return 1 - p end
  return inverse(function(d) return smirnov(n, d) end, p, 0, 1)
end)

--- Probability that sqrt(n) times the two-sided statistic is above y for many samples: f([result,] y). Relative errors up to 1e-15 from 0.5
-- on.
cephes.kolmogorov = define('kolmogorov', { 'y' }, kolmogorov)

--- The y with kolmogorov(y) = p: f([result,] p), p in 0..1.
cephes.kolmogi = define('kolmogi', { 'p' }, function(p)
  if not (p >= 0 and p <= 1) then return nan end
  if p == 1 then return 0 end
  if p == 0 then return math.huge end
  return inverse(kolmogorov, p, 0, 30)
end)

return cephes
