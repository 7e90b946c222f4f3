--- Maxima over windows at pseudo-random positions, for images and volumes.
-- Along an axis of size n, window i of m (from 0) starts at floor((i + u) a) - floor(u a), a = (n - pool) / (m - 1), and the last one at n
-- - pool; u is one random number per plane and axis.
-- Source: Graham (2014), "Fractional Max-Pooling", arXiv:1412.6071, section 2.
-- @module nn.support.fractional
local torch, check = require 'torch', require 'torch.check'
local onDeviceOf = require 'autograd.on_device_of'
local refuse = require 'torch.check.refuse'

local fractional = {}

--- Sets a module's fields: pool sizes, then output sizes or ratios, axis by axis.
-- @tparam nn.Module module
-- @tparam {string,...} axes in the order of Torch7's arguments
-- @tparam {number,...} pools each 2 or more
-- @tparam {number,...} targets all sizes (1 or more), or ratios between 0 and 1
function fractional.init(module, axes, pools, targets)
  local where, ratios = torch.type(module), false
  for i in ipairs(axes) do
    check.number(where, 'output size or ratio', targets[i])
    ratios = ratios or targets[i] < 1
  end
  for i, axis in ipairs(axes) do
    module['poolSize' .. axis] = check.whole(where, 'poolSize' .. axis, pools[i], { min = 2 })
    if ratios then
      local fits = targets[i] > 0 and targets[i] < 1
      module['ratio' .. axis] = check.number(where, 'ratio' .. axis, targets[i], not fits and { min = 0, max = -1 } or nil)
    else
      module['out' .. axis] = check.whole(where, 'out' .. axis, targets[i], { min = 1 })
    end
  end
  module.indices = torch.LongTensor()
end

local words = { T = 'time', W = 'width', H = 'height' }

-- Returns the sizes of the output for an input.
local function outputSizes(module, input, axes)
  local sizes, first = {}, input:dim() - #axes
  for i, axis in ipairs(axes) do
    local n = input:size(first + i)
    local out = module['out' .. axis] or math.floor(n * module['ratio' .. axis])
    local pool = module['poolSize' .. axis]
    if out + pool - 1 >= n then
      refuse.shape(('%s: input: poolSize%s (%d) too large relative to input %s (%d)'):format(torch.type(module), axis, pool,
        words[axis], n))
    end
    sizes[i] = out
  end
  return sizes
end

-- Returns random numbers (N, C, axes): new ones, unless the module must use its present ones.
local function samplesFor(module, batch, planes, count)
  local samples = module.randomSamples
  local kept = module.fixedRandomSamples or module.repeated
  if samples == nil or not kept or samples:size(1) ~= batch or samples:size(2) ~= planes then
    samples = (samples or torch.Tensor():type(module._type)):resize(batch, planes, count):uniform()
    module.randomSamples = samples
  end
  return samples
end

-- Returns a + b, where each may have size 1 in dimensions of the other. (The op adds tensors with equal numbers of elements element by
-- element, regardless of their sizes.)
local function outerSum(a, b)
  local size = a:size():totable()
  for d = 1, #size do size[d] = math.max(size[d], b:size(d)) end
  return torch.add(torch.expand(a, size), torch.expand(b, size))
end

-- Returns the starts of windows (planes, out), counted from 0.
local function starts(u, n, out, pool)
  if out == 1 then return onDeviceOf(torch.LongTensor(u:size(1), 1):fill(n - pool), u) end
  local alpha = (n - pool) / (out - 1)
  local steps = torch.range(0, out - 2):type(u:type()):view(1, out - 1)
  local before = torch.floor(torch.mul(outerSum(steps, u), alpha)):_as 'Long'
  local shift = torch.floor(torch.mul(u, alpha)):_as 'Long'
  local last = onDeviceOf(torch.LongTensor(u:size(1), 1):fill(n - pool), u)
  return torch.cat(torch.csub(before, shift), last, 2)
end

-- Returns positions in a plane (planes, elements of a window, windows), counted from 1. (Maxima over a dimension that is not the last are
-- vectorised.)
local function positions(input, samples, sizes, pools)
  local axes, first = #sizes, input:dim() - #sizes
  local planes = samples:size(1)
  local total, stride = onDeviceOf(torch.LongTensor(1):fill(1), samples), 1
  local function shaped(t, at, size)
    local shape = { t:size(1) }
    for d = 2, 2 * axes + 1 do shape[d] = 1 end
    shape[at] = size
    return t:view(torch.LongStorage(shape))
  end
  total = shaped(total, 2, 1)
  for i = axes, 1, -1 do
    local column = axes + 1 - i                                    -- samples are in the order of the constructor's arguments
    local from = starts(samples:select(2, column):contiguous():view(planes, 1), input:size(first + i), sizes[i], pools[i])
    total = outerSum(total, torch.mul(shaped(from, axes + i + 1, sizes[i]), stride))
    local offsets = onDeviceOf(torch.range(0, pools[i] - 1):_as 'Long', samples):view(1, pools[i])
    total = outerSum(total, torch.mul(shaped(offsets, i + 1, pools[i]), stride))
    stride = stride * input:size(first + i)
  end
  local windows, elements = 1, 1
  for i = 1, axes do windows, elements = windows * sizes[i], elements * pools[i] end
  return torch.reshape(total, { planes, windows * elements }), windows, elements, stride
end

--- Pools planes.
-- @tparam torch.Tensor input (C, …) or (N, C, …)
-- @tparam torch.Tensor samples random numbers (planes, dimensions), of the dimensions in the order W, H, T
-- @tparam {int,...} sizes of the output, in the order of tensors
-- @tparam {int,...} pools sizes of the windows
-- @treturn torch.Tensor
-- @treturn torch.LongTensor positions of the maxima in their planes
function fractional.pool(input, samples, sizes, pools)
  local planes, shape = samples:size(1), { unpack(input:size():totable(), 1, input:dim() - #sizes) }
  for i = 1, #sizes do shape[#shape + 1] = sizes[i] end
  local places, windows, elements, plane = positions(input, samples, sizes, pools)
  local taken = torch.gather(torch.reshape(input, { planes, plane }), 2, places)
  local values, chosen = torch.max(torch.reshape(taken, { planes, elements, windows }), 2)
  return torch.reshape(values, shape), torch.reshape(torch.gather(places:view(planes, elements, windows), 2, chosen), shape)
end

--- Computes a module's output, and sets its `indices`, `randomSamples`.
-- @tparam nn.Module module
-- @tparam torch.Tensor input
-- @tparam {string,...} axes in the order of tensors
function fractional.compute(module, input, axes)
  local single, sizes, pools = input:dim() == #axes + 1, outputSizes(module, input, axes), {}
  for i, axis in ipairs(axes) do pools[i] = module['poolSize' .. axis] end
  local batch, planes = single and 1 or input:size(1), input:size(input:dim() - #axes)
  local samples = samplesFor(module, batch, planes, #axes)
  local output
  output, module.indices = fractional.pool(input, samples:view(batch * planes, #axes), sizes, pools)
  return output
end

--- A method: reuses the present random numbers from now on, unless `val` is false; returns the module.
-- @tparam nn.Module module
-- @bool[opt=true] val
function fractional.fixPoolingRegions(module, val)
  module.fixedRandomSamples = val == nil or val
  return module
end

return fractional
