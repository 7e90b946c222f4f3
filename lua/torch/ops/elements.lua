-- PyTorch's elementwise functions of one argument.
local torch = require 'torch'
local declareOne = require 'torch.names.declare_element'
local expect = require 'torch.check.expect'
local asFloats = require 'torch.names.as_floats'
local limits = require 'torch.names.number_limits'

declareOne('deg2rad', 'x degrees in radians, elementwise.', function(x) return torch.mul(x, math.pi / 180) end)
declareOne('rad2deg', 'x radians in degrees, elementwise.', function(x) return torch.mul(x, 180 / math.pi) end)

local masks = { result = 'mask', differentiable = false,
  samples = '{randn(3, 4)}, {mask(5)}, {full(nan)}, {full(inf)}, {full(-inf)}, {randn(0)}' }
declareOne('logicalNot', 'Whether an element is 0: a ByteTensor of 0 and 1.', function(x) return torch.eq(x, 0) end, masks)
declareOne('isposinf', 'Whether an element is infinite and positive: a ByteTensor of 0 and 1.', function(x)
  return torch.cmul(torch.isinf(x), torch.gt(x, 0))
end, masks)
declareOne('isneginf', 'Whether an element is infinite and negative: a ByteTensor of 0 and 1.', function(x)
  return torch.cmul(torch.isinf(x), torch.lt(x, 0))
end, masks)
declareOne('signbit', 'Whether an element is negative, or -0: a ByteTensor of 0 and 1.', function(x)
  if not x:isFloatingPoint() then return torch.lt(x, 0) end
  return torch.cmax(torch.lt(x, 0), torch.cmul(torch.eq(x, 0), torch.lt(torch.cinv(x), 0)))
end, masks)

declareOne('bitwiseNot', 'The integer with all bits inverted, elementwise; of booleans the opposite.', function(x)
  expect.integers('bitwiseNot', 'x', x)
  if x:type() == 'torch.BoolTensor' then return torch.eq(x, 0):typeAs(x) end
  return torch.add(torch.neg(x), -1)
end, { result = 'same', floats = false, differentiable = false, samples = '{range(5)}, {randn(3, 4)}, {randn(0)}' })

-- sin(a) / a by its series, for magnitudes of a up to 1 / 2.
local function nearZero(a)
  local square, result = torch.cmul(a, a), 1
  for _, divisor in ipairs { 210, 156, 110, 72, 42, 20, 6 } do
    local term = torch.div(square, -divisor)
    result = torch.add(result == 1 and term or torch.cmul(term, result), 1)
  end
  return result
end

-- The angle is reduced before it is multiplied by pi, so that whole numbers have the exact 0.
declareOne('sinc', 'sin(pi x) / (pi x), elementwise; 1 at 0.', function(x)
  local function real(z) return x:isComplex() and torch.real(z) or z end
  local turn = torch.csub(x, torch.mul(torch.round(torch.div(real(x), 2)), 2))
  local folded = torch.where(torch.gt(torch.abs(real(turn)), 0.5), torch.csub(torch.sign(real(turn)), turn), turn)
  local angle = torch.mul(x, math.pi)
  local isSmall = torch.lt(torch.abs(angle), 0.5)
  local quotient = torch.cdiv(torch.sin(torch.mul(folded, math.pi)), torch.where(isSmall, 1, angle))
  return torch.where(isSmall, nearZero(torch.where(isSmall, angle, 0)), quotient)
end, { ulp = 32, samples = '{unit(3, 4)}, {full(0)}, {randn(0)}' })

declareOne('logit', 'log(x / (1 - x)), elementwise; with eps, x is clamped to eps..1 - eps first.', function(x, eps)
  if eps then x = torch.clamp(x, eps, 1 - eps) end
  return torch.log(torch.cdiv(x, torch.rsub(x, 1)))
end, { signature = '[res] x:tensor eps:number?', ulp = 32, samples = '{constant(0.25, 3, 4)}, {unit(3, 4), 0.02}, {full(0)}, {full(1)}' })

declareOne('entr', '-x * log(x), elementwise: the term of an entropy; 0 at 0, -inf below.', function(x)
  return torch.where(torch.lt(x, 0), -math.huge, torch.neg(torch.xlogy(x, x)))
end, { precision = 'float32', ulp = 16, samples = '{positive(3, 4)}, {full(0)}, {full(-1)}, {randn(0)}' })

declareOne('ndtr', 'The normal distribution function, elementwise: the probability of values below x.', function(x)
  return torch.mul(torch.erfc(torch.mul(x, -math.sqrt(0.5))), 0.5)
end, { ulp = 64, samples = '{randn(3, 4)}, {full(0)}, {full(-6)}, {full(inf)}, {randn(0)}' })

declareOne('nanToNum', [[
x with other numbers in place of NaN, inf and -inf, by default 0 and the dtype's largest and lowest numbers. Integers are copied.]],
  function(x, nan, posinf, neginf)
    if not x:isFloatingPoint() then return torch.clone(x) end
    local largest = limits.finfo(x).max
    local result = torch.where(torch.isnan(x), nan, x)
    result = torch.where(torch.eq(x, math.huge), posinf or largest, result)
    return torch.where(torch.eq(x, -math.huge), neginf or -largest, result)
  end, { signature = '[res] x:tensor nan:number=0 posinf:number? neginf:number?', result = 'same',
    samples = '{randn(3, 4)}, {full(nan)}, {full(inf)}, {full(-inf)}, {full(nan), 1, 2, 3}, {full(inf), 1, 2, 3}, {randn(0)}' })

declareOne('mvlgamma', 'The logarithm of the multivariate gamma function of dimension p, elementwise; finite for x above (p - 1) / 2.',
  function(x, p)
    if p < 1 or p > 1000 then expect.range('mvlgamma', 'p', '%d, expected 1 to 1000', p) end
    local result = torch.lgamma(x)
    for i = 1, p - 1 do result = torch.add(result, torch.lgamma(torch.add(x, -i / 2))) end
    return torch.add(result, p * (p - 1) / 4 * math.log(math.pi))
  end, { signature = '[res] x:tensor p:int', ulp = 64, precision = 'float32', samples = '{above(3, 4), 1}, {above(3, 4), 3}' })

declareOne('frexp', 'The mantissa and the exponent of x, an IntTensor: x = mantissa * 2^exponent, with a mantissa from 0.5 to below 1.',
  function(x)
    x = asFloats(x)
    local isPlain = torch.cmul(torch.isfinite(x), torch.ne(x, 0))
    local wide = torch.where(isPlain, x, 1):_as 'Double'
    local exponent = torch.add(torch.floor(torch.log2(torch.abs(wide))), 1):detach()
    local half = torch.floor(torch.div(exponent, 2))
    local function scaled(power) return torch.pow(2, torch.neg(power)) end
    local mantissa = torch.cmul(torch.cmul(wide, scaled(half)), scaled(torch.csub(exponent, half)))
    local size = torch.abs(mantissa:detach())
    local above, below = torch.ge(size, 1), torch.lt(size, 0.5)      -- the logarithm was rounded
    mantissa = torch.where(above, torch.div(mantissa, 2), torch.where(below, torch.mul(mantissa, 2), mantissa))
    exponent = torch.csub(torch.add(exponent, above:_as 'Double'), below:_as 'Double')
    return torch.where(isPlain, mantissa:typeAs(x), x), torch.where(isPlain, exponent, 0):int()
  end, { signature = '[mantissa exponent] x:tensor', samples = '{randn(3, 4)}, {full(0)}, {full(8)}, {full(inf)}' })
