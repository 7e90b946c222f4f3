--- Initialisation of parameters before training: `nn.init`. All functions write into their tensor, record nothing, and return it.
-- @module nn.initialisers
local torch = require 'torch'
local check, elements = require 'torch.check', require 'torch.names.element_count'
local sizesOf = require('torch.check.message').sizes

local init = {}

local function quietly(tensor, f, ...)
  torch.noGrad(f, tensor, ...)
  return tensor
end

local function number(name, argument, value, options) return check.number('nn.init.' .. name, argument, value, options) end

-- Checks that a tensor can hold random numbers.
local function floats(name, tensor)
  if not check.tensor('nn.init.' .. name, 'tensor', tensor):isFloatingPoint() then
    check.raise(('nn.init.%s: tensor: a %s, expected a tensor of floats'):format(name, tensor:type()))
  end
  return tensor
end

--- Draws from the uniform distribution between a and b.
-- @tparam torch.Tensor tensor
-- @tparam[opt=0] number a
-- @tparam[opt=1] number b
function init.uniform(tensor, a, b)
  a, b = number('uniform', 'a', a or 0), number('uniform', 'b', b or 1)
  return quietly(floats('uniform', tensor), tensor.uniform, a, b)
end

--- Draws from a normal distribution.
-- @tparam torch.Tensor tensor
-- @tparam[opt=0] number mean
-- @tparam[opt=1] number std
function init.normal(tensor, mean, std)
  mean, std = number('normal', 'mean', mean or 0), number('normal', 'std', std or 1, { min = 0 })
  return quietly(floats('normal', tensor), tensor.normal, mean, std)
end

--- Sets all elements to a number.
-- @tparam torch.Tensor tensor
-- @number value
function init.constant(tensor, value)
  return quietly(check.tensor('nn.init.constant', 'tensor', tensor), tensor.fill, number('constant', 'value', value))
end

--- Sets all elements to 0.
-- @tparam torch.Tensor tensor
function init.zeros(tensor) return init.constant(tensor, 0) end

--- Sets all elements to 1.
-- @tparam torch.Tensor tensor
function init.ones(tensor) return init.constant(tensor, 1) end

--- Draws from a normal distribution truncated at `cut` standard deviations, by the inverse of the distribution function; the time doesn't
-- depend on the cut.
-- @tparam torch.Tensor tensor
-- @tparam[opt=0] number mean
-- @tparam[opt=1] number std
-- @tparam[opt=2] number cut not negative
-- @raise if `tensor` is not of floats or `cut` is out of range
function init.truncatedNormal(tensor, mean, std, cut)
  cut = number('truncatedNormal', 'cut', cut or 2, { min = 0 })
  mean, std = number('truncatedNormal', 'mean', mean or 0), number('truncatedNormal', 'std', std or 1)
  floats('truncatedNormal', tensor)
  local within = torch.erf(cut / math.sqrt(2))
  return quietly(tensor, function(x)
    local normal = torch.DoubleTensor(x:size()):uniform(-within, within):erfinv():mul(math.sqrt(2)):clamp(-cut, cut)
    x:copy(normal):mul(std):add(mean)
  end)
end

--- Draws from a normal distribution truncated to the values between a and b, by the inverse of the distribution function.
-- @tparam torch.Tensor tensor
-- @tparam[opt=0] number mean
-- @tparam[opt=1] number std positive
-- @tparam[opt=-2] number a
-- @tparam[opt=2] number b not less than a
-- @raise if `tensor` is not of floats, or an argument is out of range
function init.truncNormal(tensor, mean, std, a, b)
  mean, std = number('truncNormal', 'mean', mean or 0), number('truncNormal', 'std', std or 1, { min = 0 })
  a = number('truncNormal', 'a', a or -2)
  b = number('truncNormal', 'b', b or 2, { min = a })
  floats('truncNormal', tensor)
  check.that(std > 0, 'nn.init.truncNormal: std: 0, expected a positive number')
  local low, high = torch.erf((a - mean) / (std * math.sqrt(2))), torch.erf((b - mean) / (std * math.sqrt(2)))
  return quietly(tensor, function(x)
    local normal = torch.DoubleTensor(x:size()):uniform(low, high):erfinv():mul(std * math.sqrt(2)):add(mean)
    x:copy(normal:clamp(a, b)):clamp(a, b)
  end)
end

local function matrix(where, tensor)
  if check.tensor('nn.init.' .. where, 'tensor', tensor):dim() ~= 2 then
    check.raise(('nn.init.%s: tensor: %s, expected 2 dimensions'):format(where, sizesOf(tensor)))
  end
end

-- Returns the numbers of connections into and out of a unit: a weight is (out, in, points of the kernel…).
local function fans(where, tensor)
  if floats(where, tensor):dim() < 2 then
    check.raise(('nn.init.%s: tensor: %s, expected 2 dimensions or more'):format(where, sizesOf(tensor)))
  end
  local points = elements(tensor:size(), 3)
  return tensor:size(2) * points, tensor:size(1) * points
end

local gains = {
  linear = 1, sigmoid = 1, tanh = 5 / 3, relu = math.sqrt(2), selu = 3 / 4,
  leakyRelu = function(slope) return math.sqrt(2 / (1 + (slope or 0.01) ^ 2)) end,
}
gains.leaky_relu = gains.leakyRelu      -- PyTorch's names
for dims = 1, 3 do gains[('conv%dd'):format(dims)], gains[('conv_transpose%dd'):format(dims)] = 1, 1 end

--- Returns the factor that compensates for the loss of standard deviation in a nonlinearity.
-- @tparam string name 'linear', 'sigmoid', 'tanh', 'relu', 'leakyRelu', 'selu'
-- @tparam[opt] number parameter slope of leakyRelu (0.01)
function init.gain(name, parameter)
  local gain = gains[name]
  if not gain then
    error(("nn.init.gain: name: '%s', expected linear, sigmoid, tanh, relu, leakyRelu or selu"):format(tostring(name)), 2)
  end
  return type(gain) == 'function' and gain(parameter and number('gain', 'parameter', parameter)) or gain
end

--- Draws from a uniform distribution with variance gain^2 2 / (in + out). Source: Glorot & Bengio (2010), AISTATS, equation 16.
-- @tparam torch.Tensor tensor of floats, 2 dimensions or more
-- @number[opt=1] gain see `gain`
function init.xavierUniform(tensor, gain)
  local fanIn, fanOut = fans('xavierUniform', tensor)
  local bound = number('xavierUniform', 'gain', gain or 1) * math.sqrt(6 / (fanIn + fanOut))
  return init.uniform(tensor, -bound, bound)
end

--- Draws from a normal distribution with variance gain^2 2 / (in + out).
-- @tparam torch.Tensor tensor of floats, 2 dimensions or more
-- @number[opt=1] gain see `gain`
function init.xavierNormal(tensor, gain)
  local fanIn, fanOut = fans('xavierNormal', tensor)
  return init.normal(tensor, 0, number('xavierNormal', 'gain', gain or 1) * math.sqrt(2 / (fanIn + fanOut)))
end

--- Returns the factor that compensates for the loss of standard deviation in a nonlinearity: PyTorch's name for `gain`.
-- @tparam string nonlinearity a name that `gain` has, or 'leaky_relu', 'conv1d', ..., 'conv_transpose3d'
-- @tparam[opt] number param slope of leaky_relu (0.01)
-- @treturn number
function init.calculateGain(nonlinearity, param) return init.gain(nonlinearity, param) end

local modes = { ['in'] = 'in', fan_in = 'in', fanIn = 'in', out = 'out', fan_out = 'out', fanOut = 'out' }

-- Options are in a table, or in PyTorch's order: a, mode, nonlinearity. A slope of 0 is that of relu.
local function kaimingStd(where, tensor, options, mode, nonlinearity)
  if type(options) == 'number' then
    options = { a = options, mode = mode, nonlinearity = nonlinearity or 'leaky_relu' }
  end
  options = check.options('nn.init.' .. where, options, { 'mode', 'nonlinearity', 'slope', 'a' })
  mode = options.mode or 'in'
  check.that(modes[mode], ("nn.init.%s: mode: '%s', expected fan_in or fan_out"):format(where, tostring(mode)))
  local slope = options.slope or options.a
  local name = options.nonlinearity or slope and 'leakyRelu' or 'relu'
  local fanIn, fanOut = fans(where, tensor)
  return init.gain(name, slope) / math.sqrt(modes[mode] == 'out' and fanOut or fanIn)
end

--- Draws from a uniform distribution with variance gain^2 / in. Source: He et al. (2015), "Delving Deep into Rectifiers", ICCV, equation
-- 10.
-- @tparam torch.Tensor tensor
-- @tparam[opt] table|number options mode ('in' or 'fan_in'; 'out' or 'fan_out' preserves the variance of gradients instead),
-- nonlinearity ('relu'), slope or a, that of leakyRelu; or a, before mode and nonlinearity, as in PyTorch
-- @string[opt] mode
-- @string[opt] nonlinearity
function init.kaimingUniform(tensor, options, mode, nonlinearity)
  local bound = math.sqrt(3) * kaimingStd('kaimingUniform', tensor, options, mode, nonlinearity)
  return init.uniform(tensor, -bound, bound)
end

--- Draws from a normal distribution with variance gain^2 / in.
-- @tparam torch.Tensor tensor
-- @tparam[opt] table|number options those of kaimingUniform
-- @string[opt] mode
-- @string[opt] nonlinearity
function init.kaimingNormal(tensor, options, mode, nonlinearity)
  return init.normal(tensor, 0, kaimingStd('kaimingNormal', tensor, options, mode, nonlinearity))
end

--- Sets rows, or columns if there are more rows, to orthogonal vectors of length `gain`; dimensions after the first are merged.
-- Source: Saxe, McClelland & Ganguli (2014), ICLR; signs as in Mezzadri (2007), so that all such matrices are equally likely.
-- @tparam torch.Tensor tensor of floats, 2 dimensions or more
-- @number[opt=1] gain
function init.orthogonal(tensor, gain)
  gain = number('orthogonal', 'gain', gain or 1)
  fans('orthogonal', tensor)
  return quietly(tensor, function(x)
    local rows = x:size(1)
    local cols = x:nElement() / rows
    local tall = torch.DoubleTensor(math.max(rows, cols), math.min(rows, cols)):normal(0, 1)
    local q, r = torch.qr(tall)
    local signs = torch.sign(torch.diag(r))
    q = torch.cmul(q, signs:view(1, -1):expandAs(q))
    if rows < cols then q = q:t() end
    x:copy(q:contiguous():viewAs(x)):mul(gain)
  end)
end

--- Sets the diagonal of a matrix to 1, and the rest to 0.
-- @tparam torch.Tensor tensor a matrix
function init.eye(tensor)
  matrix('eye', tensor)
  return quietly(tensor, function(x)
    x:zero()
    for i = 1, math.min(x:size(1), x:size(2)) do x[i][i] = 1 end
  end)
end

--- Sets a weight (out, in, points of the kernel...) so that a convolution preserves as many channels as possible: 1 in the middle of the
-- kernels from a channel to itself, else 0.
-- @tparam torch.Tensor tensor 3 to 5 dimensions
-- @int[opt=1] groups of channels, each of which is preserved
-- @raise if `tensor` has other dimensions, or `groups` does not divide the first one
function init.dirac(tensor, groups)
  groups = check.int('nn.init.dirac', 'groups', groups or 1, { min = 1 })
  check.tensor('nn.init.dirac', 'tensor', tensor)
  if tensor:dim() < 3 or tensor:dim() > 5 or tensor:size(1) % groups ~= 0 then
    check.raise(('nn.init.dirac: tensor: %s, expected 3 to 5 dimensions, of which %d divides the first'):format(sizesOf(tensor), groups))
  end
  return quietly(tensor, function(x)
    x:zero()
    local outputs = x:size(1) / groups
    for group = 1, groups do
      for channel = 1, math.min(outputs, x:size(2)) do
        local kernel = x[(group - 1) * outputs + channel][channel]
        for _ = 1, x:dim() - 3 do kernel = kernel[math.floor(kernel:size(1) / 2) + 1] end
        kernel[math.floor(kernel:size(1) / 2) + 1] = 1
      end
    end
  end)
end

--- Sets a fraction of each column to zero, and draws the rest from a normal distribution. Source: Martens (2010), "Deep learning via
-- Hessian-free optimization", ICML.
-- @tparam torch.Tensor tensor a matrix
-- @tparam number sparsity fraction of zeros in a column; their number is rounded up
-- @tparam[opt=0.01] number std
function init.sparse(tensor, sparsity, std)
  sparsity, std = number('sparse', 'sparsity', sparsity, { min = 0, max = 1 }), number('sparse', 'std', std or 0.01)
  matrix('sparse', floats('sparse', tensor))
  return quietly(tensor, function(x)
    local rows = x:size(1)
    x:normal(0, std)
    for column = 1, x:size(2) do
      local order = torch.randperm(rows)
      for i = 1, math.ceil(sparsity * rows) do x[order[i]][column] = 0 end
    end
  end)
end

-- PyTorch's names end in an underscore: kaimingNormal_.
setmetatable(init, { __index = function(_, name) return type(name) == 'string' and rawget(init, name:match '^(.-)_$' or name) or nil end })

return init
