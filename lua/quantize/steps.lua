--- Which ops of a graph become ops of integers.
-- @module quantize.steps
-- @local
local torch = require 'torch'
local windows = require 'quantize.windows'

local steps = {}

-- The largest number of elements in a sum of int8Pack.
local longest = 65536

local function set(names)
  local list = {}
  for name in names:gmatch '%S+' do list[name] = true end
  return list
end

--- Ops that only arrange elements, or choose the largest: integers have the scale of their argument.
steps.arranging = set 'view reshape contiguous clone transpose permute t select narrow squeeze unsqueeze expand maxPool2d'

--- Functions of one number, of which a table has the 256 values.
steps.unary = set 'sigmoid tanh gelu elu hardsigmoid hardswish silu mish softplus leakyRelu'

--- Returns the operands of a product with a constant matrix, or nil.
-- @string name of the op
-- @tparam table arguments with n
-- @tparam function isConstant whether something is a constant
-- @tparam table transposed result of the op t -> its argument, for constants
-- @treturn ?table `x`, `weight` (out, in), `bias`, `added`: the matrix that addmm adds
function steps.product(name, arguments, isConstant, transposed)
  local list = {}
  for i = 1, arguments.n do
    if arguments[i] ~= nil and type(arguments[i]) == 'number' then return nil end
    if arguments[i] ~= nil then list[#list + 1] = arguments[i] end
  end
  local weight
  if name == 'linear' then
    weight = list[2]
    if not isConstant(weight) or weight:dim() ~= 2 or weight:size(2) > longest or list[3] and not isConstant(list[3]) then return nil end
    return { x = list[1], weight = weight, bias = list[3] }
  end
  local x, added = list[1], nil
  weight = list[2]
  if name == 'addmm' then added, x, weight = list[1], list[2], list[3] end
  if name ~= 'addmm' and name ~= 'mm' and name ~= 'matmul' then return nil end
  if not isConstant(weight) or isConstant(x) or weight:dim() ~= 2 or weight:size(1) > longest then return nil end
  return { x = x, weight = transposed[weight] or weight, isTransposed = transposed[weight] == nil, added = added }
end

--- Returns the operands of attention with computed queries, keys and values, or nil.
-- @treturn ?table `query`, `key`, `value`, `mask`, `causal`, `scale`
function steps.attention(name, arguments, isConstant)
  if name ~= 'scaledDotProductAttention' then return nil end
  local query, key, value, mask, causal, scale = unpack(arguments, 1, 6)
  if isConstant(query) or isConstant(key) or isConstant(value) then return nil end
  return { query = query, key = key, value = value, mask = mask, causal = causal or false, scale = scale }
end

--- Returns the operands of a product of two computed matrices, or nil.
function steps.pair(name, arguments, isConstant)
  local x, y = arguments[1], arguments[2]
  if name ~= 'matmul' and name ~= 'bmm' and name ~= 'mm' or arguments.n ~= 2 or isConstant(x) or isConstant(y) then return nil end
  return x, y
end

--- Returns the columns of a layer that a step reads, if each row of its argument ends with all of them, or nil.
-- @string name of the op
-- @tparam table arguments
-- @int dims of the argument
-- @treturn ?table `first`, `length`
function steps.slice(name, arguments, dims)
  local dim = arguments[2]
  if name ~= 'narrow' or dim ~= -1 and dim ~= dims then return nil end
  return { first = arguments[3], length = arguments[4] }
end

--- Ops that leave elements in their order.
steps.viewing = set 'view reshape contiguous clone'

--- Returns the operands of a convolution with a constant filter, or nil.
-- @treturn ?table `x`, `weight`, `bias`, `form` of quantize.windows, `isTransposed`: whether dimension 1 of the weight has the inputs
function steps.convolution(name, arguments, isConstant)
  local x, weight, bias = arguments[1], arguments[2], arguments[3]
  if not windows[name] or not isConstant(weight) or bias ~= nil and not isConstant(bias) or #x:size() ~= weight:dim() then return nil end
  local form = windows[name](weight, unpack(arguments, 4, arguments.n))
  if not form or weight:nElement() == 0 then return nil end
  local channels = form.isTransposed and weight:size(1) / form.groups or weight:size(2)
  if channels * weight:nElement() / (weight:size(1) * weight:size(2)) > longest then return nil end
  return { x = x, weight = weight, bias = bias, form = form, isTransposed = form.isTransposed }
end

--- Returns the factor and the summand of each channel of a normalisation by constants, in float64, or nil.
-- @treturn ?table `factor`, `summand`
function steps.normalization(name, arguments, isConstant)
  local _, weight, bias, mean, variance, isTraining, _, eps = unpack(arguments, 1, 8)
  if name ~= 'batchNorm' or isTraining or not isConstant(mean) or not isConstant(variance) then return nil end
  if weight and not isConstant(weight) or bias and not isConstant(bias) then return nil end
  local factor = torch.rsqrt(torch.add(variance:double(), eps or 1e-5))
  if weight then factor = torch.cmul(factor, weight:double()) end
  local summand = torch.neg(torch.cmul(mean:double(), factor))
  return { factor = factor, summand = bias and torch.add(summand, bias:double()) or summand }
end

--- Returns the weight and the bias of a layer with a normalisation behind it, or an empty table if they are not finite float32 numbers.
-- @tparam table operands of the layer: `weight`, whose first dimension is that of channels, `bias`
-- @tparam table affine of steps.normalization
-- @treturn table `weight`, `bias`
function steps.normalized(operands, affine)
  local sizes = operands.weight:size():fill(1)
  sizes[1] = operands.weight:size(1)
  local weight = torch.cmul(operands.weight:double(), affine.factor:view(sizes):expandAs(operands.weight)):float()
  local bias = operands.bias and torch.add(torch.cmul(operands.bias:double(), affine.factor), affine.summand) or affine.summand
  bias = bias:float()
  local function isFinite(x) return x:nElement() == 0 or torch.abs(x):max() < math.huge end
  if not isFinite(weight) or not isFinite(bias) then return {} end
  return { weight = weight, bias = bias }
end

--- Returns the operands of a look-up of rows of a constant matrix, or nil.
-- @treturn ?table `weight`, `index`
function steps.lookup(name, arguments, isConstant)
  local weight = arguments[1]
  if name ~= 'index' or arguments[2] ~= 1 or not isConstant(weight) or weight:dim() ~= 2 or not weight:isFloatingPoint() then return nil end
  return { weight = weight, index = arguments[3] }
end

--- Returns the operands of sums, means or maxima of bags of rows of a constant matrix, or nil.
-- @treturn ?table `weight`, `index`, `padding`, and `run(rows, index, padding)`, which computes the first result from other rows
function steps.bag(name, arguments, isConstant)
  local weight, index = arguments[1], arguments[2]
  if name ~= 'bagSum' and name ~= 'bagMax' or not isConstant(weight) or not weight:isFloatingPoint() then return nil end
  local isSum = name == 'bagSum'
  local padding, offsets, factors = unpack(arguments, isSum and 4 or 3, 6)
  return {
    weight = weight, index = index, padding = padding or 0,
    run = function(rows, places, at)
      if isSum then return torch.bagSum(rows, places, arguments[3], at, offsets, factors) end
      return (torch.bagMax(rows, places, at, offsets))
    end,
  }
end

--- Returns whether a step is x, or 0 for numbers below 0: relu, and clamp from 0 on.
function steps.isPositivePart(name, arguments)
  return name == 'relu' or name == 'clamp' and arguments[2] == 0 and type(arguments[3]) == 'number'
end

--- Returns the operands of a sum of two values, or nil.
function steps.sum(name, arguments, isConstant)
  local x, y, alpha = arguments[1], arguments[2], arguments[3]
  if name ~= 'add' or type(x) == 'number' or type(y) == 'number' or alpha ~= nil and alpha ~= 1 then return nil end
  if isConstant(x) or isConstant(y) then return nil end
  return x, y
end

--- Returns the parts of a concatenation of values, or nil.
function steps.concatenation(name, arguments, isConstant)
  local parts = arguments[1]
  if name ~= 'cat' or type(parts) ~= 'table' or type(arguments[2]) ~= 'number' then return nil end
  for _, part in ipairs(parts) do
    if isConstant(part) then return nil end
  end
  return parts
end

--- Returns the dimension of a mean over the height (3) or the width (4) of images, or nil.
function steps.meanDim(name, arguments)
  local dim = arguments[2]
  if name ~= 'mean' or arguments.n ~= 2 or (dim ~= 3 and dim ~= 4) then return nil end
  return dim
end

--- Returns the arguments of a step that joins or averages values, whose ranges are observed.
-- @treturn {torch.Tensor,...}
function steps.joined(name, arguments, isConstant)
  local x, y = steps.sum(name, arguments, isConstant)
  if x then return x:isSameSizeAs(y) and { x, y } or {} end
  if name == 'avgPool2d' or steps.meanDim(name, arguments) then return arguments[1]:dim() == 4 and { arguments[1] } or {} end
  return {}
end

--- Returns whether a value can be quantised: a tensor of floats.
function steps.isFloat(x) return torch.isTensor(x) and x:isFloatingPoint() end

--- Returns whether a value is a tensor of float32.
function steps.isSingle(x) return torch.isTensor(x) and x:type() == 'torch.FloatTensor' end

return steps
