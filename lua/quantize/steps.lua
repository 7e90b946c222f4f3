--- Which ops of a graph become ops of integers.
-- @module quantize.steps
-- @local
local torch = require 'torch'

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

local windowDefaults = { 1, 1, 0, 0, 1, 1, 1 }

--- Returns the operands of a convolution with a constant filter, or nil.
-- @treturn ?table `x`, `weight`, `bias`, `window` as int8Conv2d wants it, `groups`
function steps.convolution(name, arguments, isConstant)
  local x, weight, bias = arguments[1], arguments[2], arguments[3]
  if name ~= 'conv2d' or not isConstant(weight) or bias ~= nil and not isConstant(bias) or #x:size() ~= 4 then return nil end
  if weight:nElement() > longest * weight:size(1) then return nil end
  local w = {}
  for i, default in ipairs(windowDefaults) do w[i] = arguments[3 + i] or default end
  return { x = x, weight = weight, bias = bias, window = { w[1], w[2], w[3], w[4], w[3], w[4], w[5], w[6] }, groups = w[7] }
end

--- Returns the operands of a look-up of rows of a constant matrix, or nil.
-- @treturn ?table `weight`, `index`
function steps.lookup(name, arguments, isConstant)
  local weight = arguments[1]
  if name ~= 'index' or arguments[2] ~= 1 or not isConstant(weight) or weight:dim() ~= 2 or not weight:isFloatingPoint() then return nil end
  return { weight = weight, index = arguments[3] }
end

--- Returns whether a value can be quantised: a tensor of floats.
function steps.isFloat(x) return torch.isTensor(x) and x:isFloatingPoint() end

return steps
