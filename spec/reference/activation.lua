-- GELU and SiLU from their definitions on numbers.
local lift = require('torch.sweep.elementwise').lift

local reference = {}

local function float(f) return lift(f, { float = true }) end

-- The normal distribution's function: 1/2 + x's series for small |x|, the continued fraction of the tail beyond (Abramowitz & Stegun
-- 26.2.11 and 26.2.14).
local function normal(x)
  local density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
  if math.abs(x) < 3 then
    local term, sum, n = x, x, 1
    while math.abs(term) > 1e-18 * math.abs(sum) do
      n = n + 2
      term = term * x * x / n
      sum = sum + term
    end
    return 0.5 + density * sum
  end
  local a, tail = math.abs(x), 0
  for n = 60, 1, -1 do tail = n / (a + tail) end
  local upper = density / (a + tail)
  return x > 0 and 1 - upper or upper
end

local function density(x) return math.exp(-x * x / 2) / math.sqrt(2 * math.pi) end
local function sigmoid(x) return x < 0 and math.exp(x) / (1 + math.exp(x)) or 1 / (1 + math.exp(-x)) end

reference.gelu = float(function(x) return x == math.huge and x or x * normal(x) end)
reference.gelu_grad = float(function(g, x) return g * (normal(x) + x * density(x)) end)
reference.silu = float(function(x) return x * sigmoid(x) end)
reference.silu_grad = float(function(g, x)
  local s = sigmoid(x)
  return g * (s + x * s * (1 - s))
end)

return reference
