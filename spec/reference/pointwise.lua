-- Elementwise ops that round, bound or choose, of numbers.
local lift = require('torch.sweep.elementwise').lift

local reference = {}

local function whole(x) return x < 0 and math.ceil(x) or math.floor(x) end

reference.abs = lift(math.abs)
reference.sgn = lift(function(x) return x > 0 and 1 or x < 0 and -1 or 0 end)
reference.abs_slope = reference.sgn
reference.conj = lift(function(x) return x end)
reference.sign = lift(function(x) return x > 0 and 1 or x < 0 and -1 or 0 end)

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
