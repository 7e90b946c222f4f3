-- Comparisons and tests on numbers.
local lift = require('torch.sweep.elementwise').lift

local reference = {}

reference.lt = lift(function(x, y) return x < y end, { mask = true })
reference.le = lift(function(x, y) return x <= y end, { mask = true })
reference.gt = lift(function(x, y) return x > y end, { mask = true })
reference.ge = lift(function(x, y) return x >= y end, { mask = true })
reference.eq = lift(function(x, y) return x == y end, { mask = true })
reference.ne = lift(function(x, y) return x ~= y end, { mask = true })
reference.isnan = lift(function(x) return x ~= x end, { mask = true })
reference.isfinite = lift(function(x) return x == x and math.abs(x) < math.huge end, { mask = true })
reference.isinf = lift(function(x) return math.abs(x) == math.huge end, { mask = true })

local function close(x, y, rtol, atol, equalNan)
  if x ~= x or y ~= y then return equalNan == true and x ~= x and y ~= y end
  if math.abs(x) == math.huge or math.abs(y) == math.huge then return x == y end
  return math.abs(x - y) <= (atol or 1e-8) + (rtol or 1e-5) * math.abs(y)
end
reference.isclose = lift(close, { mask = true, float = true })

function reference.allclose(x, y, ...)
  for i, v in ipairs(x.data) do
    if not close(v, type(y) == 'number' and y or y.data[i], ...) then return false end
  end
  return true
end

return reference
