-- Elementwise arithmetic on numbers.
local elementwise = require 'spec.reference.elementwise'
local lift = elementwise.lift

local reference = {}

local function whole(x) return x < 0 and math.ceil(x) or math.floor(x) end

-- Sums: errors are relative to the terms.
reference.add = lift(function(x, y, alpha) return x + alpha * y end, { terms = true, order = elementwise.factorBetween })
reference.csub = lift(function(x, y, alpha) return x - alpha * y end, { terms = true, order = elementwise.factorBetween })
reference.rsub = lift(function(x, y) return y - x end, { terms = true })
reference.addcmul = lift(function(x, a, b, value) return x + value * a * b end, { terms = true, order = elementwise.factorSecond })
reference.addcdiv = lift(function(x, a, b, value) return x + value * a / b end, { terms = true, order = elementwise.factorSecond })
reference.lerp = lift(function(a, b, weight) return a * (1 - weight) + b * weight end, { terms = true })

reference.mul = lift(function(x, value) return x * value end)
reference.cmul = reference.mul
reference.div = lift(function(x, value) return x / value end)
reference.cdiv = reference.div
reference.neg = lift(function(x) return -x end)
reference.abs = lift(math.abs)
reference.square = lift(function(x) return x * x end)
reference.sign = lift(function(x) return x > 0 and 1 or x < 0 and -1 or 0 end)

-- Remainders are exact, but for the dtype's own rounding of y.
reference.fmod = lift(math.fmod, { terms = true })
reference.remainder = lift(function(x, y) return x - y * math.floor(x / y) end, { terms = true })

reference.floor, reference.ceil, reference.trunc = lift(math.floor), lift(math.ceil), lift(whole)
reference.frac = lift(function(x) return x - whole(x) end)
reference.round = lift(function(x)
  local low = math.floor(math.abs(x))
  local near = math.abs(x) - low >= 0.5 and low + 1 or low
  return x < 0 and -near or near
end)

reference.clamp = lift(function(x, min, max)
  min, max = min or -math.huge, max or math.huge
  if x ~= x then return x end
  return math.min(math.max(x, min), max)
end)
reference.relu = lift(function(x) return x ~= x and x or math.max(x, 0) end)
reference.relu_grad = lift(function(g, y) return y > 0 and g or 0 end)
reference.cmax = lift(function(x, y) return x > y and x or y end)
reference.cmin = lift(function(x, y) return x < y and x or y end)


return reference
