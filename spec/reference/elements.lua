-- PyTorch's elementwise functions of one number.
local elements = require 'torch.sweep.elements'
local lift = require('torch.sweep.elementwise').lift
local special = require 'spec.reference.special'

local reference = {}

local function float(f) return lift(f, { float = true }) end
local function mask(f) return lift(f, { mask = true }) end

reference.deg2rad, reference.rad2deg = float(math.rad), float(math.deg)
reference.logicalNot = mask(function(x) return x == 0 end)
reference.isposinf, reference.isneginf = mask(function(x) return x == math.huge end), mask(function(x) return x == -math.huge end)
reference.signbit = mask(function(x) return x < 0 or x == 0 and 1 / x < 0 end)
reference.bitwiseNot = lift(function(x) return -1 - x end)
reference.entr = float(function(x) return x < 0 and -math.huge or x == 0 and 0 or -x * math.log(x) end)
reference.ndtr = lift(function(x)
  return special.erfc({ type = 'torch.DoubleTensor', sizes = { 1 }, data = { -x / math.sqrt(2) } }).data[1] / 2
end, { float = true, terms = true })
reference.sinc = float(function(x) return x == 0 and 1 or x % 1 == 0 and 0 or math.sin(math.pi * x) / (math.pi * x) end)
reference.logit = float(function(x, eps)
  if eps then x = math.max(eps, math.min(x, 1 - eps)) end
  return math.log(x / (1 - x))
end)
reference.celu = float(function(x, alpha)
  alpha = alpha or 1
  return x > 0 and x or alpha * (math.exp(x / alpha) - 1)
end)
reference.selu = float(function(x)
  return 1.0507009873554804934 * (x > 0 and x or 1.6732632423543772848 * (math.exp(x) - 1))
end)
reference.hardshrink = float(function(x, lambda) return math.abs(x) <= (lambda or 0.5) and 0 or x end)
reference.threshold = lift(function(x, threshold, value) return x <= threshold and value or x end)

function reference.nanToNum(x, nan, posinf, neginf)
  local largest = elements.largest(x.type)
  return lift(function(v)
    if v ~= v then return nan or 0 end
    if v == math.huge then return posinf or largest end
    return v == -math.huge and (neginf or -largest) or v
  end)(x)
end

local lgamma = special.lgamma
function reference.mvlgamma(x, p)
  local result
  for i = 0, p - 1 do
    local shifted = lift(function(v) return v - i / 2 end, { float = true })(x)
    shifted.type = shifted.kind
    local part = lgamma(shifted)
    result = result or part
    for k, v in ipairs(part.data) do result.data[k] = i == 0 and v + p * (p - 1) / 4 * math.log(math.pi) or result.data[k] + v end
  end
  result.scale = 10
  return result
end

function reference.frexp(x)
  local mantissa = float(function(v) return (math.frexp(v)) end)(x)
  local exponent = lift(function(v) return math.abs(v) < math.huge and select(2, math.frexp(v)) or 0 end)(x)
  exponent.kind = 'torch.IntTensor'
  return mantissa, exponent
end

return reference
