--- ONNX nodes for normalisations.
-- @module onnx.write.rules.normalization
local torch = require 'torch'

local rules = {}

local function filled(o, step, v, size) return o.constant(torch.Tensor(size):fill(v):to(step.dtype)) end

-- A weight and a bias, by default 1 and 0.
local function factors(o, step, size)
  return step.weight or filled(o, step, 1, size), step.bias or filled(o, step, 0, size)
end

local function ranged(first, last)
  local list = {}
  for d = first, last do list[#list + 1] = d end
  return list
end

-- Sizes that spread a vector over the channels.
local function channels(rank, n)
  local sizes = { 1, n }
  while #sizes < rank do sizes[#sizes + 1] = 1 end
  return sizes
end

-- Multiplies by the weight and adds the bias, if there are any, vectors with an element for each channel.
local function scaled(o, step, made)
  local spread = channels(#step.x.sizes, -1)
  if step.weight then made = o.Mul(made, o.reshape(step.weight, spread)) end
  return step.bias and o.Add(made, o.reshape(step.bias, spread)) or made
end

function rules.batchNorm(o, step)
  local x = step.x
  if not step.training then
    local weight, bias = factors(o, step, step:fixedSize(x, 2))
    return o.BatchNormalization(x, weight, bias, step.runningMean, step.runningVar, { epsilon = { number = step.eps } }),
      step:wants(2) and step.runningMean or nil,
      step:wants(3) and o.Reciprocal(o.Sqrt(o.Add(step.runningVar, step.eps))) or nil
  end
  local dims = { 0, unpack(ranged(2, #x.sizes - 1)) }
  local mean = o.reduce('ReduceMean', x, dims)
  local centred = o.Sub(x, mean)
  local invstd = o.Reciprocal(o.Sqrt(o.Add(o.reduce('ReduceMean', o.Mul(centred, centred), dims), step.eps)))
  local vector = o.integers { -1 }
  return scaled(o, step, o.Mul(centred, invstd)), o.Reshape(mean, vector), o.Reshape(invstd, vector)
end

function rules.layerNorm(o, step)
  local rank = #step.x.sizes
  local weight, bias = factors(o, step, step:fixedSize(step.x, rank))
  local count = (step:wants(2) or step:wants(3)) and 3 or 1
  local made, mean, invstd = o.node('LayerNormalization', count, step.x, weight, bias, { axis = rank - 1, epsilon = { number = step.eps } })
  if count == 1 then return made end
  local vector = o.integers { -1 }
  return made, o.Reshape(mean, vector), o.Reshape(invstd, vector)
end

function rules.rmsNorm(o, step)
  local x, last = step.x, { #step.x.sizes - 1 }
  local inverse = o.Reciprocal(o.Sqrt(o.Add(o.reduce('ReduceMean', o.Mul(x, x), last), step.eps)))
  local made = o.Mul(x, inverse)
  return step.weight and o.Mul(made, step.weight) or made, step:wants(2) and o.Reshape(inverse, o.integers { -1 }) or nil
end

-- The elements of each group are a row.
function rules.groupNorm(o, step)
  local x, sizes, groups = step.x, o.sizesOf(step.x), step.groups
  local rows = o.Reshape(x, o.integers { 0, groups, -1 })
  local made, mean, invstd
  if step:wants(2) or step:wants(3) then
    mean = o.reduce('ReduceMean', rows, { 2 })
    local centred = o.Sub(rows, mean)
    invstd = o.Reciprocal(o.Sqrt(o.Add(o.reduce('ReduceMean', o.Mul(centred, centred), { 2 }), step.eps)))
    made = o.Mul(centred, invstd)
    mean, invstd = o.Reshape(mean, o.integers { -1 }), o.Reshape(invstd, o.integers { -1 })
  else
    local eps = { number = step.eps }
    made = o.InstanceNormalization(rows, filled(o, step, 1, groups), filled(o, step, 0, groups), { epsilon = eps })
  end
  return scaled(o, step, o.reshape(made, sizes)), mean, invstd
end

return rules
