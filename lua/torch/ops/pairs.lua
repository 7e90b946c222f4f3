-- PyTorch's elementwise functions of two arguments, whose sizes broadcast.
local torch = require 'torch'
local pair = require 'torch.names.declare_pair'

local declarePair, samples = pair.declare, pair.samples
local isTensor = torch.isTensor

declarePair('multiply', 'x * y, elementwise.', torch.cmul)
declarePair('subtract', 'x - y, elementwise.', torch.csub)

-- Extrema. At ties each argument has half of the gradient, as in PyTorch.
local function chosen(choose, x, y)
  local result = choose(x, y)
  if not isTensor(y) or not (x:isFloatingPoint() or y:isFloatingPoint()) then return result end
  local tie = torch.cmul(torch.eq(x, y), torch.isfinite(x))
  return torch.where(tie, torch.add(x, torch.mul(torch.csub(y, x), 0.5)), result)
end

local function orNan(choose)
  return function(x, y) return torch.where(torch.isnan(x), x, chosen(choose, x, y)) end
end
local function orNumber(choose)
  return function(x, y)
    local result = torch.where(torch.isnan(x), y, chosen(choose, x, y))
    if isTensor(y) then return torch.where(torch.isnan(y), x, result) end
    return y ~= y and x or result
  end
end
local ties = samples .. ', {full(nan), full(1)}, {full(1), full(nan)}, {full(inf), full(-inf)}, {full(inf), full(inf)}'
declarePair('maximum', 'The larger of x and y, elementwise; NaN if one is NaN.', orNan(torch.cmax), { samples = ties })
declarePair('minimum', 'The smaller of x and y, elementwise; NaN if one is NaN.', orNan(torch.cmin), { samples = ties })
declarePair('fmax', 'The larger of x and y, elementwise; of NaN and a number the number.', orNumber(torch.cmax), { samples = ties })
declarePair('fmin', 'The smaller of x and y, elementwise; of NaN and a number the number.', orNumber(torch.cmin), { samples = ties })

-- Other functions of two numbers.
declarePair('copysign', 'The magnitude of x with the sign of y, elementwise; -0 is negative.', function(x, y)
  local size = torch.abs(x)
  if not isTensor(y) then return (y < 0 or 1 / y < 0) and torch.neg(size) or size end
  return torch.where(torch.signbit(y), torch.neg(size), size)
end, { result = 'float', samples = samples .. ', {randn(3), full(0)}' })

declarePair('heaviside', "The step function: 0 for negative x, 1 for positive x, and y where x is 0, elementwise.", function(x, y)
  return torch.where(torch.eq(x, 0), y, torch.gt(x, 0):typeAs(x))
end, { differentiable = false, samples = samples .. ', {full(0), randn(3)}' })

declarePair('xlogy', 'x * log(y), elementwise, in floats; 0 where x is 0, unless y is NaN.', function(x, y)
  if not isTensor(y) then
    local product = torch.mul(x, math.log(y))
    return y == y and torch.where(torch.eq(x, 0), 0, product) or product
  end
  local isPole = torch.cmax(torch.le(y, 0), torch.isinf(y))      -- of the logarithm; elsewhere the gradient by x remains
  local nothing = torch.cmul(torch.eq(x, 0), isPole)
  return torch.where(nothing, 0, torch.cmul(x, torch.log(torch.where(nothing, 1, y))))
end, { result = 'float', ulp = 16, precision = 'float32',
  samples = '{randn(3, 4), positive(3, 4)}, {randn(3, 4), positive(4)}, {full(0), full(0)}, {randn(5), 2}' })

declarePair('xlog1py', 'x * log(1 + y), elementwise, in floats; 0 where x is 0, unless y is NaN.', function(x, y)
  if not isTensor(y) then y = torch.mul(x, 0):detach() + y end
  local isPole = torch.cmax(torch.le(y, -1), torch.isinf(y))
  local nothing = torch.cmul(torch.eq(x, 0), isPole)
  return torch.where(nothing, 0, torch.cmul(x, torch.log1p(torch.where(nothing, 0, y))))
end, { result = 'float', ulp = 16, precision = 'float32',
  samples = '{randn(3, 4), positive(3, 4)}, {randn(3, 4), positive(4)}, {full(0), full(-1)}, {randn(5), 2}' })

declarePair('logaddexp2', 'log2(2^x + 2^y), elementwise, in floats, without overflow.', function(x, y)
  local scale = math.log(2)
  return torch.mul(torch.logaddexp(torch.mul(x, scale), isTensor(y) and torch.mul(y, scale) or y * scale), 1 / scale)
end, { result = 'float', ulp = 16, precision = 'float32',
  samples = '{randn(3, 4), randn(3, 4)}, {randn(3, 4), randn(4)}, {full(1000), full(1000)}' })

declarePair('ldexp', 'x * 2^y, elementwise, in floats.', function(x, y)
  return isTensor(y) and torch.cmul(x, torch.pow(2, y)) or torch.mul(x, 2 ^ y)
end, { result = 'float', ulp = 8, precision = 'float32' })

declarePair('floatPower', 'x^y in DoubleTensors, elementwise.', function(x, y)
  return torch.pow(x:_as 'Double', isTensor(y) and y:_as 'Double' or y)
end, { result = 'custom', ulp = 16, samples = '{positive(3, 4), randn(3, 4)}, {positive(3, 4), randn(4)}, {randn(5), 2}' })

declarePair('arctan2', 'The angle of the point (y, x), in radians, where y is the second argument: atan2.', torch.atan2, {
  signature = '[res] x:tensor y:tensor', result = 'float', ulp = 16,
  samples = '{nonzero(3, 4), nonzero(3, 4)}, {nonzero(3, 4), nonzero(4)}',
})
