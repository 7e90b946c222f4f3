--- Derivative rules against finite differences, first and second order, away from kinks. (The registry's sweep does the same for every
-- op's own samples; here are the arguments that it may miss: broadcasting, numbers for tensors, dimensions counted from the end.)
local torch = require 'torch'
local autograd = require 'autograd'

-- Numbers that repeat never, none near 0, 1 or each other.
local function numbers(from, to, ...)
  local sizes, count = { ... }, 1
  for i = 1, #sizes do count = count * sizes[i] end
  local values = {}
  for i = 1, count do values[i] = from + (to - from) * ((i * 0.61803398875 + 0.137) % 1) end
  return torch.reshape(torch.DoubleTensor(values), torch.LongStorage(sizes))
end

local function any(...) return numbers(-1.9, 2.1, ...) end
local function positive(...) return numbers(0.3, 2.2, ...) end
local function unit(...) return numbers(-0.9, 0.85, ...) end

local function check(name, f, ...)
  local inputs = { ... }
  it(name, function() assert(autograd.gradcheck(f, inputs)) end)
end

describe('the derivative of', function()
  for _, name in ipairs { 'neg', 'square', 'exp', 'expm1', 'sin', 'cos', 'tanh', 'sinh', 'cosh', 'atan', 'sigmoid', 'softplus', 'erf', 'abs',
    'relu', 'frac' } do
    check(name, torch[name], any(2, 3))
  end
  for _, name in ipairs { 'log', 'log1p', 'sqrt', 'rsqrt', 'cinv' } do
    check(name, torch[name], positive(2, 3))
  end
  for _, name in ipairs { 'asin', 'acos', 'tan' } do
    check(name, torch[name], unit(2, 3))
  end
  for _, name in ipairs { 'add', 'csub', 'cmul', 'cmax', 'cmin', 'logaddexp', 'atan2' } do
    check(name, torch[name], any(2, 3), unit(2, 3))
    check(name .. ', broadcast', torch[name], any(2, 1), unit(1, 3))
    check(name .. ', broadcast to more dimensions', torch[name], any(2, 2, 3), unit(3))
  end
  check('cdiv', torch.cdiv, any(2, 3), positive(1, 3))
  check('fmod', torch.fmod, any(2, 3), positive(2, 3))
  check('remainder', torch.remainder, any(2, 3), positive(2, 3))
  check('pow', torch.pow, positive(2, 3), any(1, 3))
  check('pow to a number', function(x) return torch.pow(x, 3), torch.pow(x, 2), torch.pow(x, 1), torch.pow(x, 0) end, any(2, 3))
  check('pow of a number', function(x) return torch.pow(1.7, x) end, any(2, 3))
  check('ops with a number', function(x)
    return torch.add(x, 2), torch.csub(x, 2), torch.rsub(x, 2), torch.mul(x, 2), torch.div(x, 3)
  end, any(2, 3))
  check('elementwise ops with a number', function(x)
    return torch.cmul(x, 3), torch.cdiv(x, 3), torch.cmax(x, 0.1), torch.cmin(x, 0.1)
  end, any(2, 3))
  check('add and csub with a factor', function(x, y) return torch.add(x, -3, y), torch.csub(x, 2, y) end, any(2, 3), any(3))
  check('addcmul', function(x, a, b) return torch.addcmul(x, 0.7, a, b) end, any(2, 3), any(1, 3), any(2, 1))
  check('addcdiv', function(x, a, b) return torch.addcdiv(x, 0.7, a, b) end, any(2, 3), any(1, 3), positive(2, 1))
  check('lerp', function(a, b, w) return torch.lerp(a, b, w), torch.lerp(a, b, 0.3) end, any(2, 3), any(2, 3), positive(2, 3))
  check('clamp', function(x) return torch.clamp(x, -0.7, 0.9) end, any(2, 4))
  check('where', function(x, y)
    return torch.where(torch.gt(x, 0.2), torch.square(x), y), torch.where(torch.lt(x, 0), x, 3)
  end, any(2, 3), any(1, 3))
  check('steps', function(x) return torch.add(torch.floor(x), x), torch.cmul(torch.sign(x), x), torch.add(torch.ceil(x), x) end, any(2, 3))
  check('a long vector', function(x) return torch.tanh(torch.cmul(x, x)) end, any(50))
end)
