-- Elementwise sums, products, quotients and remainders of numbers.
local elementwise = require 'torch.sweep.elementwise'
local lift = elementwise.lift

local reference = {}

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
reference.square = lift(function(x) return x * x end)

-- Remainders are exact, but for the dtype's own rounding of y.
reference.fmod = lift(math.fmod, { terms = true })
reference.remainder = lift(function(x, y) return x - y * math.floor(x / y) end, { terms = true })

return reference
