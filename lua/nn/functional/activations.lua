--- Activations as functions, in nn.functional. Each uses the formula of its class.
-- In-place forms (`inplace`, or the functions with `_` at the end) write the result over the input and return the input.
-- @module nn.functional.activations
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local signature, along = require 'nn.support.signature', require 'nn.support.along'
local expression, C = require 'autograd.expression', require 'libmoontorch'

local activations = {}

local input, inplace = { 'input', 'tensor' }, { 'inplace', 'boolean', default = false }

-- Returns f, which also accepts as its last argument whether the result is written over the input. On the tape the input that f saves must
-- stay as it is, so that f receives a copy.
local function overwriting(f, count)
  return function(...)
    local x = ...
    if not select(count, ...) then return f(...) end
    if C.tracked(x) then return x:copy(f(torch.clone(x), select(2, ...))) end
    return x:copy(f(...))
  end
end

-- Defines a function with further arguments, `given`, and its in-place form.
local function define(name, given, f, writes)
  local arguments = { input, unpack(given) }
  if writes then
    arguments[#arguments + 1] = inplace
    f = overwriting(f, #arguments)
  end
  local declared = signature('nn.functional.' .. name, arguments, f)
  activations[name] = declared
  if writes then
    local last = #given + 1
    activations[name .. '_'] = signature('nn.functional.' .. name .. '_', { unpack(arguments, 1, last) }, function(...)
      local values = { ... }
      values[last + 1] = true
      return f(unpack(values, 1, last + 1))
    end)
  end
end

-- Defines the function of a class by the class's formula, whose fields are the arguments.
local function ofClass(name, class, writes, ...)
  local given, names, formula = { ... }, { 'input' }, nil
  for i, argument in ipairs(given) do names[i + 1] = argument.field or argument[1] end
  define(name, given, function(...)
    formula = formula or expression.compile(nn[class].declaration.formula, names, 'nn.functional.' .. name)
    return formula(nil, nil, ...)
  end, writes)
end

--- max(x, 0).
-- @function relu
-- @tparam torch.Tensor input
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
define('relu', {}, function(x) return torch.relu(x) end, true)

--- x clamped to 0..6.
-- @function relu6
-- @tparam torch.Tensor input
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('relu6', 'ReLU6', true)

--- x where it is positive, else alpha (exp(x) - 1).
-- @function elu
-- @tparam torch.Tensor input
-- @tparam[opt=1] number alpha
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('elu', 'ELU', true, { 'alpha', 'number', default = 1 })

--- x where it is positive, else alpha (exp(x / alpha) - 1).
-- @function celu
-- @tparam torch.Tensor input
-- @tparam[opt=1] number alpha not 0
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('celu', 'CELU', true, { 'alpha', 'number', default = 1 })

--- The self-normalising activation: see nn.SELU.
-- @function selu
-- @tparam torch.Tensor input
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('selu', 'SELU', true)

--- x where it is positive, else negativeSlope x.
-- @function leakyRelu
-- @tparam torch.Tensor input
-- @tparam[opt=0.01] number negativeSlope
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('leakyRelu', 'LeakyReLU', true, { 'negativeSlope', 'number', default = 0.01, field = 'negval' })

--- x where it is above the threshold, else value.
-- @function threshold
-- @tparam torch.Tensor input
-- @number threshold
-- @number value
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('threshold', 'Threshold', true, { 'threshold', 'number' }, { 'value', 'number', field = 'val' })

--- x clamped to minVal..maxVal.
-- @function hardtanh
-- @tparam torch.Tensor input
-- @tparam[opt=-1] number minVal
-- @tparam[opt=1] number maxVal
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('hardtanh', 'HardTanh', true, { 'minVal', 'number', default = -1, field = 'min_val' },
  { 'maxVal', 'number', default = 1, field = 'max_val' })

--- x / 6 + 1/2, clamped to 0..1.
-- @function hardsigmoid
-- @tparam torch.Tensor input
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('hardsigmoid', 'Hardsigmoid', true)

--- x hardsigmoid(x).
-- @function hardswish
-- @tparam torch.Tensor input
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('hardswish', 'Hardswish', true)

--- x sigmoid(x).
-- @function silu
-- @tparam torch.Tensor input
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
define('silu', {}, function(x) return torch.silu(x) end, true)

--- x tanh(log(1 + exp(x))).
-- @function mish
-- @tparam torch.Tensor input
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
ofClass('mish', 'Mish', true)

--- x where |x| > lambd, else 0.
-- @function hardshrink
-- @tparam torch.Tensor input
-- @tparam[opt=0.5] number lambd
-- @treturn torch.Tensor
ofClass('hardshrink', 'HardShrink', false, { 'lambd', 'number', default = 0.5, field = 'lambda' })

--- x moved by lambd towards 0, and 0 where |x| <= lambd.
-- @function softshrink
-- @tparam torch.Tensor input
-- @tparam[opt=0.5] number lambd
-- @treturn torch.Tensor
ofClass('softshrink', 'SoftShrink', false, { 'lambd', 'number', min = 0, default = 0.5, field = 'lambda' })

--- x - tanh(x).
-- @function tanhshrink
-- @tparam torch.Tensor input
-- @treturn torch.Tensor
ofClass('tanhshrink', 'TanhShrink', false)

--- x / (1 + |x|).
-- @function softsign
-- @tparam torch.Tensor input
-- @treturn torch.Tensor
ofClass('softsign', 'SoftSign', false)

--- log(1 + exp(beta x)) / beta, and x where beta x > threshold.
-- @function softplus
-- @tparam torch.Tensor input
-- @tparam[opt=1] number beta
-- @tparam[opt=20] number threshold
-- @treturn torch.Tensor
ofClass('softplus', 'Softplus', false, { 'beta', 'number', default = 1 }, { 'threshold', 'number', default = 20 })

--- log(sigmoid(x)), without overflow.
-- @function logsigmoid
-- @tparam torch.Tensor input
-- @treturn torch.Tensor
ofClass('logsigmoid', 'LogSigmoid', false)

--- 1 / (1 + exp(-x)).
-- @function sigmoid
-- @tparam torch.Tensor input
-- @treturn torch.Tensor
define('sigmoid', {}, function(x) return torch.sigmoid(x) end)

--- The hyperbolic tangent.
-- @function tanh
-- @tparam torch.Tensor input
-- @treturn torch.Tensor
define('tanh', {}, function(x) return torch.tanh(x) end)

--- x times the cumulative normal distribution: see nn.GELU.
-- @function gelu
-- @tparam torch.Tensor input
-- @tparam[opt='none'] string approximate 'none' or 'tanh'
-- @treturn torch.Tensor
local approximated
define('gelu', { { 'approximate', 'choice', choices = { 'none', 'tanh' }, default = 'none' } }, function(x, approximate)
  if approximate == 'none' then return torch.gelu(x) end
  approximated = approximated or expression.compile(nn.GELU.declaration.formula { approximate = 'tanh' }, { 'input' }, 'nn.functional.gelu')
  return approximated(nil, nil, x)
end)

--- The first half of a dimension times the sigmoid of the second.
-- @function glu
-- @tparam torch.Tensor input
-- @tparam[opt=-1] int dim
-- @treturn torch.Tensor
define('glu', { { 'dim', 'int', default = -1 } }, function(x, dim)
  check.dim('nn.functional.glu', 'dim', x, dim)
  local size = x:size(dim)
  if size % 2 ~= 0 then
    check.raise(('nn.functional.glu: input: size %d of dimension %d, expected an even one'):format(size, dim), 'shape')
  end
  return torch.cmul(torch.narrow(x, dim, 1, size / 2), torch.sigmoid(torch.narrow(x, dim, size / 2 + 1, size / 2)))
end)

--- x where it is positive, else weight x.
-- @function prelu
-- @tparam torch.Tensor input
-- @tparam torch.Tensor weight one slope, or one for each channel (dimension 2, or 1 of vectors)
-- @treturn torch.Tensor
define('prelu', { { 'weight', 'tensor' } }, function(x, weight)
  local dim, sizes = x:dim() > 1 and 2 or 1, torch.LongStorage(math.max(1, x:dim())):fill(1)
  if weight:nElement() ~= 1 then
    if x:dim() == 0 or x:size(dim) ~= weight:nElement() then
      check.raise(('nn.functional.prelu: weight: %d elements, expected 1 or one for each channel of the input'):format(weight:nElement()),
        'shape')
    end
    sizes[dim] = weight:nElement()
  end
  local slopes = torch.view(weight:contiguous(), sizes)
  return torch.where(torch.gt(x, 0), x, torch.cmul(x, x:dim() > 0 and torch.expandAs(slopes, x) or slopes))
end)

--- x where it is positive, else a slope times x: with `training` drawn for each element from uniform(lower, upper), else their mean.
-- @function rrelu
-- @tparam torch.Tensor input
-- @tparam[opt=1/8] number lower
-- @tparam[opt=1/3] number upper
-- @tparam[opt=false] boolean training
-- @tparam[opt=false] boolean inplace
-- @treturn torch.Tensor
define('rrelu', {
  { 'lower', 'number', default = 1 / 8 }, { 'upper', 'number', default = 1 / 3 }, { 'training', 'boolean', default = false },
}, function(x, lower, upper, training)
  if lower > upper then check.raise(('nn.functional.rrelu: lower: %g, expected at most upper, %g'):format(lower, upper), 'range') end
  local slopes = (lower + upper) / 2
  if training and not x:isFloatingPoint() then
    check.raise(('nn.functional.rrelu: input: %s, expected a tensor of floats'):format(x:type()))
  end
  if training then slopes = x.new():resizeAs(x):uniform(lower, upper) end
  return torch.where(torch.gt(x, 0), x, torch.cmul(x, slopes))
end, true)

--- exp(x) / sum(exp(x)) along a dimension.
-- @function softmax
-- @tparam torch.Tensor input
-- @tparam[opt] int dim by default 1 for tensors of 1 or 3 dimensions, else 2
-- @treturn torch.Tensor
define('softmax', { { 'dim', 'int', optional = true } }, function(x, dim) return torch.softmax(x, along(x, dim)) end)

--- x - log(sum(exp(x))) along a dimension.
-- @function logSoftmax
-- @tparam torch.Tensor input
-- @tparam[opt] int dim by default 1 for tensors of 1 or 3 dimensions, else 2
-- @treturn torch.Tensor
define('logSoftmax', { { 'dim', 'int', optional = true } }, function(x, dim) return torch.logsoftmax(x, along(x, dim)) end)

--- exp(-x) / sum(exp(-x)) along a dimension.
-- @function softmin
-- @tparam torch.Tensor input
-- @tparam[opt] int dim by default 1 for tensors of 1 or 3 dimensions, else 2
-- @treturn torch.Tensor
define('softmin', { { 'dim', 'int', optional = true } }, function(x, dim) return torch.softmax(torch.neg(x), along(x, dim)) end)

--- Random classes as differentiable vectors: the softmax of (logits + noise) / tau, with noise from the Gumbel distribution.
-- Source: Jang, Gu & Poole (2017), "Categorical Reparameterization with Gumbel-Softmax", ICLR.
-- @function gumbelSoftmax
-- @tparam torch.Tensor logits log-probabilities, not necessarily normalised
-- @tparam[opt=1] number tau above 0: the smaller, the closer to one class
-- @tparam[opt=false] boolean hard returns one-hot vectors, with the gradient of the others
-- @tparam[opt=1e-10] number eps unused, as in PyTorch
-- @tparam[opt=-1] int dim
-- @treturn torch.Tensor
activations.gumbelSoftmax = signature('nn.functional.gumbelSoftmax', {
  { 'logits', 'tensor' }, { 'tau', 'number', default = 1 }, { 'hard', 'boolean', default = false }, { 'eps', 'number', default = 1e-10 },
  { 'dim', 'int', default = -1 },
}, function(logits, tau, hard, _, dim)
  if not logits:isFloatingPoint() then
    check.raise(('nn.functional.gumbelSoftmax: logits: %s, expected a tensor of floats'):format(logits:type()))
  end
  local noise = logits.new():resizeAs(logits):exponential(1):log():mul(-1)
  local soft = torch.softmax(torch.mul(torch.add(logits, noise), 1 / tau), dim)
  if not hard then return soft end
  local constant = soft:detach()
  local _, largest = torch.max(constant, dim)
  local oneHot = constant:clone():zero():scatter(dim < 0 and logits:dim() + 1 + dim or dim, largest, 1)
  return torch.add(torch.csub(oneHot, constant), soft)
end)

--- relu, written over the input, which is returned.
-- @function relu_
-- @tparam torch.Tensor input
-- @treturn torch.Tensor the input

--- relu6, written over the input, which is returned.
-- @function relu6_
-- @tparam torch.Tensor input
-- @treturn torch.Tensor the input

--- elu, written over the input, which is returned.
-- @function elu_
-- @tparam torch.Tensor input
-- @tparam[opt=1] number alpha
-- @treturn torch.Tensor the input

--- celu, written over the input, which is returned.
-- @function celu_
-- @tparam torch.Tensor input
-- @tparam[opt=1] number alpha
-- @treturn torch.Tensor the input

--- selu, written over the input, which is returned.
-- @function selu_
-- @tparam torch.Tensor input
-- @treturn torch.Tensor the input

--- leakyRelu, written over the input, which is returned.
-- @function leakyRelu_
-- @tparam torch.Tensor input
-- @tparam[opt=0.01] number negativeSlope
-- @treturn torch.Tensor the input

--- threshold, written over the input, which is returned.
-- @function threshold_
-- @tparam torch.Tensor input
-- @tparam number threshold
-- @tparam number value
-- @treturn torch.Tensor the input

--- hardtanh, written over the input, which is returned.
-- @function hardtanh_
-- @tparam torch.Tensor input
-- @tparam[opt=-1] number minVal
-- @tparam[opt=1] number maxVal
-- @treturn torch.Tensor the input

--- hardsigmoid, written over the input, which is returned.
-- @function hardsigmoid_
-- @tparam torch.Tensor input
-- @treturn torch.Tensor the input

--- hardswish, written over the input, which is returned.
-- @function hardswish_
-- @tparam torch.Tensor input
-- @treturn torch.Tensor the input

--- silu, written over the input, which is returned.
-- @function silu_
-- @tparam torch.Tensor input
-- @treturn torch.Tensor the input

--- mish, written over the input, which is returned.
-- @function mish_
-- @tparam torch.Tensor input
-- @treturn torch.Tensor the input

--- rrelu, written over the input, which is returned.
-- @function rrelu_
-- @tparam torch.Tensor input
-- @tparam[opt=1/8] number lower
-- @tparam[opt=1/3] number upper
-- @tparam[opt=false] boolean training
-- @treturn torch.Tensor the input

return activations
