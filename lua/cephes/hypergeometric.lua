--- Hypergeometric functions; part of the package cephes.
--
-- Found against mpmath with 40 digits for parameters up to 20 and arguments up to 1e8: relative errors below 1e-13 in 2F1, and in 1F1
-- below 1e-12 for parameters up to 10. A result of which fewer than about 9 digits could be found is NaN.
-- @module cephes.hypergeometric
local confluent, define, gauss = require 'cephes.confluent', require 'cephes.define', require 'cephes.gauss'
local libm, series = require 'cephes.libm', require 'cephes.hypergeometric_series'
local abs, exp, max, min, infinity, nan = math.abs, math.exp, math.max, math.min, math.huge, 0 / 0

local cephes = {}

-- A series that ends, converges or is asymptotic: the sum, an error if few digits are right, and an estimate of the absolute error.
local function summed(tops, bottoms, x, digits)
  local ends
  for i = 1, #tops do
    if tops[i] ~= tops[i] or abs(tops[i]) == infinity then return nan, nil, infinity end
    if series.endsAt(tops[i]) then ends = max(ends or -infinity, tops[i]) end
  end
  for i = 1, #bottoms do
    if bottoms[i] ~= bottoms[i] or abs(bottoms[i]) == infinity then return nan, nil, infinity end
    if series.endsAt(bottoms[i]) and not (ends and ends >= bottoms[i]) then return infinity, nil, infinity end
  end
  if x ~= x or abs(x) == infinity then return nan, nil, infinity end
  local sum, _, loss, last = series.sum(tops, bottoms, x)
  local relative = loss * 1e-31 + (ends and 0 or last) + 1e-16
  if not (relative < digits) then return nan, 'total loss of precision', infinity end
  return sum, relative > 1e-10 and 'partial loss of precision' or nil, relative * abs(sum)
end

-- 2F0(a, b; x) for x < 0, a > 0: the integral of exp(-t) t^(a - 1) (1 - x t)^-b / gamma(a), over t = exp(u - exp(-u)), for which the
-- trapezoidal rule converges exponentially (Takahasi and Mori 1974).
local function integrated(a, b, x)
  local spacing, sum, scale = 1 / 64, 0, libm.logGamma(a)
  for direction = -1, 1, 2 do
    for i = direction < 0 and 0 or 1, 100000 do
      local u = direction * i * spacing
      local decay = exp(-u)
      local t = exp(u - decay)
      local value = exp(a * (u - decay) - t - b * libm.log1p(-x * t) - scale) * (1 + decay)
      sum = sum + value
      if value < 1e-18 * sum and (direction < 0 and decay * a > 1 or t > a + 1) then break end
    end
  end
  return sum * spacing
end

local function hyp2f0(a, b, x)
  local value, problem, err = summed({ a, b }, {}, x, 1e-9)
  local top, other = max(a, b), min(a, b)
  if not (err < 1e-14 * abs(value)) and x < 0 and x > -infinity and top > 1e-6 and abs(other) < infinity then
    value = integrated(top, other, x)
    return value, nil, 1e-14 * abs(value)
  end
  return value, problem, err
end

local withError = { hasError = true, isPole = true }

--- Gauss's hypergeometric function 2F1: f([result,] a, b, c, x) for x up to 1, or any x if a or b is 0, -1, ...
cephes.hyp2f1 = define('hyp2f1', { 'a', 'b', 'c', 'x' }, gauss, { isPole = true })

--- Kummer's confluent hypergeometric function 1F1: f([result,] a, b, x).
cephes.hyperg = define('hyperg', { 'a', 'b', 'x' }, confluent,
  { isPole = function(_, b) return series.endsAt(b) end })

--- The function 2F0, of which 2F0(a, b; ; -1 / z) = z^a U(a, 1 + a - b, z): f([result,] a, b, x). For x > 0 it is the sum of the divergent
-- series up to its smallest term, or NaN. As in C, f(a, b, x, type, err) sets the double at the pointer err to an estimate of the absolute
-- error; type is not used.
cephes.hyp2f0 = define('hyp2f0', { 'a', 'b', 'x' }, hyp2f0, { hasError = true, isPole = true, skipped = 1 })

--- The function 1F2(a; b, c; x): f([result,] a, b, c, x), for x > -400. As in C, a pointer to a double as a further argument receives an
-- estimate of the absolute error.
cephes.onef2 = define('onef2', { 'a', 'b', 'c', 'x' }, function(a, b, c, x) return summed({ a }, { b, c }, x, 1e-9) end, withError)

--- The divergent series 3F0(a, b, c; x) up to its smallest term, or NaN if that leaves fewer than 3 digits: f([result,] a, b, c, x). As in
-- C, a pointer to a double as a further argument receives an estimate of the absolute error.
cephes.threef0 = define('threef0', { 'a', 'b', 'c', 'x' }, function(a, b, c, x) return summed({ a, b, c }, {}, x, 1e-3) end, withError)

return cephes
