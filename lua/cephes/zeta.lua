--- Zeta functions and polylogarithms; part of the package cephes.
-- @module cephes.zeta
local torch = require 'torch'
local define, doubles, libm = require 'cephes.define', require 'cephes.double_double', require 'cephes.libm'
local add, multiply = doubles.add, doubles.multiply
local abs, floor, log, pi, infinity, nan = math.abs, math.floor, math.log, math.pi, math.huge, 0 / 0

local cephes = {}

-- Bernoulli's numbers B_2k over (2k)!.
local bernoulli = {}
for k, b in ipairs { 1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330 } do
  local factorial = 1
  for i = 2, 2 * k do factorial = factorial * i end
  bernoulli[k] = b / factorial
end

-- zeta(x) - 1 for x >= 0 by Euler's and Maclaurin's formula (DLMF 25.2.9).
local function above(x)
  local n, sum = 12, 0
  for k = n - 1, 2, -1 do sum = sum + k ^ -x end
  local power = n ^ -x
  local tail, rising = n * power / (x - 1) + power / 2, x / n * power
  for k = 1, #bernoulli do
    tail = tail + bernoulli[k] * rising
    rising = rising * (x + 2 * k - 1) * (x + 2 * k) / (n * n)
  end
  return sum + tail
end

local function zetac(x)
  if x ~= x or x == -infinity then return nan end
  if x == infinity then return 0 end
  if x == 1 then return infinity end
  if x >= 0 then return above(x) end
  if floor(x) == x and x % 2 == 0 then return -1 end
  local s = 1 - x      -- DLMF 25.4.1
  return libm.sinpi(x / 2) * (1 + above(s)) / (pi * libm.powerOverGamma(2 * pi, -x)) - 1
end

-- Li_n at exp(m), -0.7 < m < 0, for n >= 2 (DLMF 25.12.12).
local function nearOne(n, m)
  local sum, factor, harmonic = 0, 1, 0
  for k = 0, n + 60 do
    if k == n - 1 then
      for i = 1, k do harmonic = harmonic + 1 / i end
      sum = sum + factor * (harmonic - log(-m))
    else
      sum = sum + factor * (1 + zetac(n - k))
    end
    factor = factor * m / (k + 1)
    if k >= n and abs(factor) < 1e-19 then break end
  end
  return sum
end

local function powerSeries(n, x)
  local sum, power = 0, 1
  for k = 1, 200 do
    power = power * x
    local term = power / k ^ n
    sum = sum + term
    if abs(term) < 1e-18 * abs(sum) then break end
  end
  return sum
end

-- Li_-m(x), the sum of k! S(m + 1, k + 1) z^(k + 1), z = x / (1 - x), by Stirling's numbers of the second kind; with 106 bits, since terms
-- cancel for x < 0.
local function ofNegativeOrder(m, x)
  local high, low = { 1 }, { 0 }
  for n = 2, m + 1 do
    high[n], low[n] = 0, 0
    for k = n, 1, -1 do
      local h, l = multiply(high[k], low[k], k, 0)
      high[k], low[k] = add(h, l, high[k - 1] or 0, low[k - 1] or 0)
    end
  end
  local z, zLow = doubles.divide(x, 0, doubles.exactSum(1, -x))
  local factor, factorLow, sum, sumLow = z, zLow, 0, 0
  for k = 0, m do
    if k > 0 then
      factor, factorLow = multiply(factor, factorLow, z, zLow)
      factor, factorLow = multiply(factor, factorLow, k, 0)
    end
    sum, sumLow = add(sum, sumLow, multiply(factor, factorLow, high[k + 1], low[k + 1]))
  end
  return sum
end

local function polylog(n, x)
  if floor(n) ~= n or n < -20 or n > 150 or not (x <= 1) then return nan end
  if x == 0 then return 0 end
  if x == -infinity then return n > 0 and -infinity or nan end
  if n <= 0 then
    if x == 1 then return infinity end
    if n == 0 or x > -1 then return ofNegativeOrder(-n, x) end
    return (n % 2 == 0 and -1 or 1) * ofNegativeOrder(-n, 1 / x)
  end
  if n == 1 then return -libm.log1p(-x) end
  if x == 1 then return 1 + zetac(n) end
  if abs(x) <= 0.5 then return powerSeries(n, x) end
  if x > 0.5 then return nearOne(n, log(x)) end
  if x >= -1 then      -- DLMF 25.12(ii): from the square
    local square = x == -1 and 1 + zetac(n) or x * x > 0.5 and nearOne(n, 2 * log(-x)) or powerSeries(n, x * x)
    local mirror = x == -1 and 1 + zetac(n) or nearOne(n, log(-x))
    return 2 ^ (1 - n) * square - mirror
  end
  -- The inversion: a polynomial in log(-x) with values of eta(2k).
  local w, sum = log(-x), 0
  for k = n, 0, -1 do
    if k % 2 == 0 then
      local eta = k == 0 and 0.5 or (1 - 2 ^ (1 - k)) * (1 + zetac(k))
      local term = eta
      for i = 1, n - k do term = term * w / i end
      sum = sum + term
    end
  end
  return -2 * sum - (n % 2 == 0 and 1 or -1) * polylog(n, 1 / x)
end

--- Hurwitz's zeta function, the sum of (q + k)^-x: f([result,] x, q).
cephes.zeta = define.tensors('zeta', { 'x', 'q' }, function(x, q) return torch.zeta(x, q) end, { isPole = true })

--- Riemann's zeta function, less 1: f([result,] x), also below 1. Relative errors up to 2e-15 above 1, 1e-14 below.
cephes.zetac = define('zetac', { 'x' }, zetac, { isPole = true })

--- Polylogarithm Li_n(x), the sum of x^k / k^n: f([result,] n, x) for whole n from -20 to 150 and x up to 1.
-- Relative errors up to 1e-12 for n below 0, 1e-14 above.
cephes.polylog = define('polylog', { 'n', 'x' }, polylog, { isPole = true })

return cephes
