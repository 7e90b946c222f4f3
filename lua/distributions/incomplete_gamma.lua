--- The regularised incomplete gamma function with derivatives for both arguments, and samples of the standard gamma distribution.
-- Sources: series and continued fraction, DLMF 8.11.4 and 8.9.2; derivative of samples, Figurnov, Mohamed & Mnih (2018), "Implicit
-- Reparameterization Gradients"; sampler, Marsaglia & Tsang (2000).
-- @module distributions.incomplete_gamma
local torch = require 'torch'
local Function = require 'autograd.function'
local elements = require 'distributions.elements'

local C, log, exp, abs = elements.C, math.log, math.exp, math.abs
local epsilon, most = 2 ^ -53, 1e6

local incompleteGamma = {}

-- The logarithm of x^a e^-x / gamma(a); for large a by Stirling's series, since the terms cancel.
local function logWeight(a, x, logX, lgammaA)
  if a < 20 then return a * logX - x - lgammaA end
  local excess = (x - a) / a
  local logRatio = excess > -0.5 and C.mt_distributions_log1p(excess) or logX - log(a)
  local square = 1 / (a * a)
  return a * (logRatio - excess) + 0.5 * log(a / (2 * math.pi)) - (1 / 12 - square * (1 / 360 - square / 1260)) / a
end

-- The sum S of x^n / ((a + 1) ... (a + n)) and its derivative for a: P = weight / a S.
local function series(a, x)
  local term, sum, harmonic, slope = 1, 1, 0, 0
  for n = 1, most do
    term = term * x / (a + n)
    harmonic = harmonic + 1 / (a + n)
    sum, slope = sum + term, slope - term * harmonic
    if term < epsilon * sum and term * harmonic <= -epsilon * slope then break end
  end
  return sum, slope
end

-- The continued fraction h by Lentz's method, and its derivative for a: 1 - P = weight h.
local function fraction(a, x)
  local b = x + 1 - a
  local c, cSlope = 1e300, 0
  local d = 1 / b
  local dSlope = d * d
  local h, slope = d, dSlope
  for i = 1, most do
    local numerator = -i * (i - a)
    b = b + 2
    local below = numerator * d + b
    local belowSlope = i * d + numerator * dSlope - 1
    cSlope = (i - numerator * cSlope / c) / c - 1
    c = b + numerator / c
    d = 1 / below
    dSlope = -belowSlope * d * d
    local factor, factorSlope = c * d, cSlope * d + c * dSlope
    slope = slope * factor + h * factorSlope
    h = h * factor
    if abs(factor - 1) < 4 * epsilon and abs(h * factorSlope) <= 4 * epsilon * abs(slope) then break end
  end
  return h, slope
end

-- P, 1 - P, and the derivative of P for a divided by -weight, from a, x, log x, and lgamma and digamma of a.
local function evaluate(a, x, logX, lgammaA, digammaA)
  if x ~= x or x < 0 then return 0 / 0, 0 / 0, 0 / 0 end
  if logX == -math.huge then return 0, 1, 0 end
  if x == math.huge then return 1, 0, 0 end
  local weight = exp(logWeight(a, x, logX, lgammaA))
  if x < a + 1 then
    local sum, slope = series(a, x)
    local p = weight / a * sum
    return p, 1 - p, -(sum * (logX - digammaA - 1 / a) + slope) / a
  end
  local h, slope = fraction(a, x)
  return 1 - weight * h, weight * h, h * (logX - digammaA) + slope
end

local function all(a, x, logX)
  return elements.map(evaluate, 3, a, x, logX or torch.log(x), torch.lgamma(a), torch.digamma(a))
end

-- The derivative for x: the density of the gamma distribution.
local function density(a, x) return torch.exp(torch.xlogy(a - 1, x) - x - torch.lgamma(a)) end

local function define(name, sign, which)
  return Function {
    name = name,
    forward = function(ctx, a, x)
      local values = { all(a, x) }
      ctx:save(a, x, values[3])
      return values[which]:typeAs(x)
    end,
    backward = function(ctx, g)
      local a, x, slope = ctx:saved()
      local byX = torch.cmul(g, density(a, x)) * sign
      return -torch.cmul(byX, torch.cmul(slope:typeAs(x), x)), byX
    end,
  }
end

local lower, upper = define('gammainc', 1, 1), define('gammaincc', -1, 2)

--- The regularised lower incomplete gamma function P(a, x), elementwise.
-- @tparam torch.Tensor a above 0
-- @tparam torch.Tensor x 0 or more; broadcasts with a
-- @treturn torch.Tensor
function incompleteGamma.lower(a, x) return lower(elements.common(a, x)) end

--- The complement 1 - P(a, x), with full relative precision.
-- @tparam torch.Tensor a above 0
-- @tparam torch.Tensor x 0 or more; broadcasts with a
-- @treturn torch.Tensor
function incompleteGamma.upper(a, x) return upper(elements.common(a, x)) end

-- Draws logarithms of gamma variates of a in double precision; their logarithms don't underflow for small a.
local function draw(a)
  local wide = a:double():contiguous():view(-1)
  local boosted = torch.where(torch.lt(wide, 1), wide + 1, wide)
  local d = boosted - 1 / 3
  local c = torch.rsqrt(d * 9)
  local valid = torch.cmul(torch.gt(wide, 0), torch.lt(wide, math.huge))
  local logs = torch.where(valid, 0, torch.where(torch.gt(wide, 0), wide, 0 / 0))      -- without checks of arguments, anything may come
  local open = torch.nonzero(valid)
  open = open:nElement() > 0 and open:view(-1) or open
  while open:nElement() > 0 do
    local n = open:nElement()
    local normal, uniform = torch.DoubleTensor(n):normal(), torch.DoubleTensor(n):uniform()
    local dOpen = d:index(1, open)
    local root = torch.cmul(normal, c:index(1, open)) + 1
    local logCube = torch.log(torch.clamp(root, 1e-300, math.huge)) * 3
    local cube = torch.exp(logCube)
    local bound = torch.square(normal) * 0.5 + torch.cmul(dOpen, 1 - cube + logCube)
    local accepted = torch.cmul(torch.gt(root, 0), torch.lt(torch.log(uniform), bound))
    local hits = torch.nonzero(accepted)
    if hits:nElement() > 0 then
      hits = hits:view(-1)
      logs:indexCopy(1, open:index(1, hits), (torch.log(dOpen) + logCube):index(1, hits))
    end
    local misses = torch.nonzero(torch.eq(accepted, 0))
    if misses:nElement() == 0 then break end
    open = open:index(1, misses:view(-1))
  end
  local powers = torch.cdiv(torch.log(1 - torch.DoubleTensor(wide:size(1)):uniform()), wide)
  return (logs + torch.where(torch.lt(wide, 1), powers, 0)):viewAs(a:contiguous())
end

--- Draws logarithms of gamma variates with rate 1, differentiable for a by implicit reparameterisation.
-- @function logSample
-- @tparam torch.Tensor a concentrations above 0
-- @treturn torch.Tensor of a's sizes
incompleteGamma.logSample = Function {
  name = 'gammaSample',
  forward = function(ctx, a)
    local logs = a:nElement() == 0 and a:double() or draw(a)
    ctx:save(a, logs)
    return logs:typeAs(a)
  end,
  backward = function(ctx, g)
    local a, logs = ctx:saved()
    local _, _, slope = all(a:double(), torch.exp(logs), logs)
    return torch.cmul(g, slope:typeAs(g))
  end,
}

return incompleteGamma
