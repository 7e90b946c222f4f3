-- Bessel functions as integrals (DLMF 10.9, 10.32), functions of the normal distribution by erfc, the zeta function as a sum.
local lift = require('torch.sweep.elementwise').lift
local special = require 'spec.reference.special'

local exp, log, sin, cos, cosh, pi, huge, nan = math.exp, math.log, math.sin, math.cos, math.cosh, math.pi, math.huge, 0 / 0

local function float(f) return lift(f, { float = true, terms = true }) end

-- The mean of a periodic function over 0..pi, whose error is exponentially small.
local function periodic(f)
  local sum, count = 0, 400
  for i = 0, count - 1 do sum = sum + f((i + 0.5) * pi / count) end
  return sum / count
end

local function besselJ(n)
  return function(x)
    if x == 0 or math.abs(x) == huge then return x == 0 and n == 0 and 1 or 0 end
    return periodic(function(t) return cos(n * t - x * sin(t)) end)
  end
end

-- The integral over 0..1 by Takahasi & Mori's quadrature; f gets s and 1 - s.
local function unitIntegral(f)
  local sum, step = 0, 1 / 64
  for i = -256, 256 do
    local u = pi * math.sinh(i * step)
    local s, rest = 1 / (1 + exp(-u)), 1 / (1 + exp(u))
    local weight = pi * cosh(i * step) * s * rest
    if weight > 0 then sum = sum + weight * f(s, rest) end
  end
  return sum * step
end

local euler = 0.57721566490153286
-- f(x, angle's cosine, gamma + log(2 x sin^2)), over angles from 0 to pi / 2.
local function besselY(f)
  return function(x)
    if x < 0 then return nan end
    if x == 0 then return -huge end
    if x == huge then return 0 end
    return 2 / pi * unitIntegral(function(s, rest)
      local sine = s < 0.5 and sin(s * pi / 2) or cos(rest * pi / 2)
      local cosine = s < 0.5 and cos(s * pi / 2) or sin(rest * pi / 2)
      return f(x, cosine, euler + log(2 * x) + 2 * log(sine))
    end)
  end
end

local function besselI(n, scaled)
  return function(x)
    if math.abs(x) == huge then return scaled and 0 or n == 0 and huge or x end
    if x == 0 then return 1 - n end
    local value = periodic(function(t) return exp(x * cos(t) - math.abs(x)) * cos(n * t) end)
    return scaled and value or value * exp(math.abs(x))
  end
end

local function besselK(n, scaled)
  return function(x)
    if x < 0 then return nan end
    if x == 0 then return huge end
    if x == huge then return 0 end
    local sum, step = 0.5, 0.02
    for i = 1, 2000 do
      local term = exp(-x * (cosh(i * step) - 1)) * cosh(n * i * step)
      sum = sum + term
      if term < 1e-20 then break end
    end
    return sum * step * (scaled and 1 or exp(-x))
  end
end

local function number(name)
  return function(x) return special[name] { type = 'torch.DoubleTensor', sizes = { 1 }, data = { x } }.data[1] end
end
local erfc = number 'erfc'

local function erfcx(x)
  if x == huge then return 0 end
  if x < 2 then return exp(x * x) * erfc(x) end
  local fraction = x
  for n = 400, 1, -1 do fraction = x + n / 2 / fraction end
  return 1 / math.sqrt(pi) / fraction
end

local function logNdtr(x)
  if x == -huge then return x end
  if x < -1 then return log(erfcx(-x / math.sqrt(2)) / 2) - x * x / 2 end
  if x < 5 then return log(erfc(-x / math.sqrt(2)) / 2) end
  return -erfc(x / math.sqrt(2)) / 2
end

local function ndtri(p)
  if not (p >= 0 and p <= 1) then return nan end
  if p == 0 or p == 1 then return p == 0 and -huge or huge end
  if p == 0.5 then return 0 end
  local low, high, target = -40, 0, log(math.min(p, 1 - p))
  for _ = 1, 90 do
    local middle = (low + high) / 2
    if logNdtr(middle) < target then low = middle else high = middle end
  end
  return p < 0.5 and low or -low
end

-- Few terms of Euler & Maclaurin's formula are enough after many of the sum, from the smallest one on.
local function zeta(s, q)
  if s ~= s or q ~= q or s < 1 then return nan end
  if s == 1 then return huge end
  if q <= 0 and q == math.floor(q) then return huge end
  if q < 0 and s ~= math.floor(s) then return nan end
  local far = q + 2000
  local sum = far ^ (1 - s) / (s - 1) + far ^ -s / 2 + s * far ^ (-s - 1) / 12
  for k = 1999, 0, -1 do sum = sum + (q + k) ^ -s end
  return sum
end

return {
  besselJ0 = float(besselJ(0)), besselJ1 = float(besselJ(1)),
  besselY0 = float(besselY(function(x, c, logs) return cos(x * c) * logs end)),
  besselY1 = float(besselY(function(x, c, logs) return sin(x * c) * c * logs - cos(x * c) / x end)),
  i0 = float(besselI(0)), i1 = float(besselI(1)), i0e = float(besselI(0, true)), i1e = float(besselI(1, true)),
  modifiedBesselK0 = float(besselK(0)), modifiedBesselK1 = float(besselK(1)),
  scaledModifiedBesselK0 = float(besselK(0, true)), scaledModifiedBesselK1 = float(besselK(1, true)),
  sphericalBesselJ0 = float(function(x) return x == 0 and 1 or math.abs(x) == huge and 0 or sin(x) / x end),
  erfcx = float(erfcx), ndtri = float(ndtri), logNdtr = float(logNdtr), zeta = float(zeta),
}
