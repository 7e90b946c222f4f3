-- PyTorch's elementwise functions of two numbers.
local lift = require('torch.sweep.elementwise').lift
local arithmetic, bits, compare = require 'spec.reference.arithmetic', require 'spec.reference.bits', require 'spec.reference.compare'

local reference = {}

local function isNan(v) return v ~= v end
local function isNegative(v) return v < 0 or v == 0 and 1 / v < 0 end

reference.multiply = arithmetic.mul
reference.subtract = lift(function(x, y) return x - y end, { terms = true })
reference.greater, reference.greaterEqual, reference.less = compare.gt, compare.ge, compare.lt
reference.lessEqual, reference.notEqual = compare.le, compare.ne
reference.bitwiseAnd, reference.bitwiseOr, reference.bitwiseXor = bits.bitand, bits.bitor, bits.bitxor
reference.bitwiseLeftShift = bits.lshift
reference.bitwiseRightShift = lift(function(x, y) return math.floor(x / 2 ^ y) end)

reference.logicalAnd = lift(function(x, y) return x ~= 0 and y ~= 0 end, { mask = true })
reference.logicalOr = lift(function(x, y) return x ~= 0 or y ~= 0 end, { mask = true })
reference.logicalXor = lift(function(x, y) return (x ~= 0) ~= (y ~= 0) end, { mask = true })

reference.maximum = lift(function(x, y) return isNan(x) and x or isNan(y) and y or math.max(x, y) end)
reference.minimum = lift(function(x, y) return isNan(x) and x or isNan(y) and y or math.min(x, y) end)
reference.fmax = lift(function(x, y) return isNan(x) and y or isNan(y) and x or math.max(x, y) end)
reference.fmin = lift(function(x, y) return isNan(x) and y or isNan(y) and x or math.min(x, y) end)

local function whole(v) return v < 0 and math.ceil(v) or math.floor(v) end
local quotient = lift(function(x, y) return x / y end, { float = true })
local towardsZero, down = lift(function(x, y) return whole(x / y) end), lift(function(x, y) return math.floor(x / y) end)
function reference.divide(x, y, mode) return (mode == 'trunc' and towardsZero or mode == 'floor' and down or quotient)(x, y) end
reference.trueDivide, reference.floorDivide = quotient, down

reference.copysign = lift(function(x, y) return isNegative(y) and -math.abs(x) or math.abs(x) end, { float = true })
reference.heaviside = lift(function(x, y) return x == 0 and y or x > 0 and 1 or 0 end)
reference.xlog1py = lift(function(x, y) return x == 0 and not isNan(y) and 0 or x * math.log(1 + y) end, { float = true })
reference.xlogy = lift(function(x, y) return x == 0 and not isNan(y) and 0 or x * math.log(y) end, { float = true })
reference.logaddexp2 = lift(function(x, y)
  local top = math.max(x, y)
  return top + math.log(2 ^ (x - top) + 2 ^ (y - top)) / math.log(2)
end, { float = true })
reference.ldexp = lift(function(x, y) return x * 2 ^ y end, { float = true })
local power = lift(function(x, y) return x ^ y end)
local function double(x) return type(x) == 'table' and { sizes = x.sizes, data = x.data, type = 'torch.DoubleTensor' } or x end
function reference.floatPower(x, y) return power(double(x), double(y)) end
reference.arctan2 = lift(math.atan2, { float = true })

-- By trial of all divisors.
local function gcd(x, y)
  x, y = math.abs(x), math.abs(y)
  if x == 0 or y == 0 then return x + y end
  for d = math.min(x, y), 1, -1 do
    if x % d == 0 and y % d == 0 then return d end
  end
end
reference.gcd = lift(gcd)
reference.lcm = lift(function(x, y) return x * y == 0 and 0 or math.abs(x * y) / gcd(x, y) end)

return reference
