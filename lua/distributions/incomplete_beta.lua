--- The regularised incomplete beta function with derivatives for all arguments.
-- Source: the continued fraction DLMF 8.17.22 by Lentz's method, with the derivative of every step.
-- @module distributions.incomplete_beta
local torch = require 'torch'
local Function = require 'autograd.function'
local elements = require 'distributions.elements'

local C, log, exp, abs = elements.C, math.log, math.exp, math.abs
local enough, most = 2 ^ -51, 1e6

local function clamped(x) return abs(x) < 1e-300 and 1e-300 or x end

-- The continued fraction, and its derivatives for a and b.
local function fraction(a, b, x)
  local c, cA, cB = 1, 0, 0
  local below = clamped(1 - (a + b) * x / (a + 1))
  local d = 1 / below
  local dA, dB = (x / (a + 1) - (a + b) * x / ((a + 1) * (a + 1))) * d * d, x / (a + 1) * d * d
  local h, hA, hB = d, dA, dB
  for m = 1, most do
    local q1, q2, q3 = a + 2 * m - 1, a + 2 * m, a + 2 * m + 1
    local rest = 0
    for half = 1, 2 do
      local n, nA, nB
      if half == 1 then
        local unit = m * x / (q1 * q2)
        n = (b - m) * unit
        nA, nB = -n * (1 / q1 + 1 / q2), unit
      else
        local unit = -x / (q2 * q3)
        n = (a + m) * (a + b + m) * unit
        nA, nB = unit * (2 * a + b + 2 * m) - n * (1 / q2 + 1 / q3), unit * (a + m)
      end
      below = clamped(1 + n * d)
      local belowA, belowB = nA * d + n * dA, nB * d + n * dB
      cA, cB = (nA - n * cA / c) / c, (nB - n * cB / c) / c
      c = clamped(1 + n / c)
      d = 1 / below
      dA, dB = -belowA * d * d, -belowB * d * d
      local factor, factorA, factorB = c * d, cA * d + c * dA, cB * d + c * dB
      hA, hB = hA * factor + h * factorA, hB * factor + h * factorB
      h = h * factor
      rest = abs(factor - 1) + abs(h * factorA) / (abs(hA) + abs(h)) + abs(h * factorB) / (abs(hB) + abs(h))
    end
    if rest < enough then break end
  end
  return h, hA, hB
end

-- I_x(a, b), and its derivatives for a and b divided by the weight x^a (1 - x)^b / B(a, b), from log B and differences of digamma.
local function evaluate(a, b, x, logBeta, psiA, psiB)
  if not (x >= 0 and x <= 1) then return 0 / 0, 0 / 0, 0 / 0 end
  if x == 0 or x == 1 then return x, 0, 0 end
  local logX, logRest = log(x), C.mt_distributions_log1p(-x)
  local weight = exp(a * logX + b * logRest - logBeta)
  if x < (a + 1) / (a + b + 2) then
    local h, hA, hB = fraction(a, b, x)
    return weight / a * h, (h * (logX - psiA - 1 / a) + hA) / a, (h * (logRest - psiB) + hB) / a
  end
  local h, hB, hA = fraction(b, a, 1 - x)
  return 1 - weight / b * h, -(h * (logX - psiA) + hA) / b, -(h * (logRest - psiB - 1 / b) + hB) / b
end

local function logBeta(a, b) return torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b) end

local function all(a, b, x)
  local wideA, wideB = a:double(), b:double()
  local psi = torch.digamma(wideA + wideB)
  return elements.map(evaluate, 3, wideA, wideB, x, logBeta(wideA, wideB), torch.digamma(wideA) - psi, torch.digamma(wideB) - psi)
end

local betainc = Function {
  name = 'betainc',
  forward = function(ctx, a, b, x)
    local value, slopeA, slopeB = all(a, b, x)
    ctx:save(a, b, x, slopeA, slopeB)
    return value:typeAs(x)
  end,
  backward = function(ctx, g)
    local a, b, x, slopeA, slopeB = ctx:saved()
    local density = torch.exp(torch.xlogy(a - 1, x) + torch.xlogy(b - 1, 1 - x) - logBeta(a, b))
    local byX = torch.cmul(g, density)
    local weight = torch.cmul(byX, torch.cmul(x, 1 - x))
    return torch.cmul(weight, slopeA:typeAs(x)), torch.cmul(weight, slopeB:typeAs(x)), byX
  end,
}

local incompleteBeta = { logBeta = logBeta }

--- The regularised incomplete beta function I_x(a, b), elementwise.
-- @tparam torch.Tensor a above 0
-- @tparam torch.Tensor b above 0
-- @tparam torch.Tensor x from 0 to 1
-- @treturn torch.Tensor
function incompleteBeta.lower(a, b, x) return betainc(elements.common(a, b, x)) end

return incompleteBeta
