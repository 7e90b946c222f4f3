--- ONNX nodes for gradients of views: zeros around the gradient, or sums of expanded dimensions.
-- @module onnx.write.rules.view_gradients
local count = require('onnx.write.emitter').count

local rules = {}

-- g between zeros. `ranges`: first position (from 0) and length in dimensions (from 1) in which g is smaller than the result.
local function inZeros(o, step, g, ranges)
  local result, pads = step.results[1], {}
  local rank = #result.sizes
  for d = 1, rank do
    local range = ranges[d]
    pads[d], pads[rank + d] = range and range[1] or 0, range and step:fixedSize(result, d) - range[1] - range[2] or 0
  end
  return o.Pad(g, o.integers(pads))
end

local function counted(step, dim, position)
  return position < 0 and position + step.results[1].sizes[dim + 1] or position
end

function rules.narrow_grad(o, step)
  local dim = step:axisOf(step.results[1], step.dim)
  step:fixedSize(step.results[1], dim + 1)
  return inZeros(o, step, step.g, { [dim + 1] = { counted(step, dim, step.first), step:fixedSize(step.g, dim + 1) } })
end

function rules.select_grad(o, step)
  local rank, sizes = #step.results[1].sizes, {}
  local dim = rank == 1 and 0 or step:axisOf(step.results[1], step.dim)
  for d, size in ipairs(step:fixed(step.results[1])) do sizes[d] = d == dim + 1 and 1 or size end
  return inZeros(o, step, o.reshape(step.g, sizes), { [dim + 1] = { counted(step, dim, step.index), 1 } })
end

function rules.sub_grad(o, step)
  step:fixed(step.results[1])
  local ranges = {}
  for i = 1, #step.ranges, 2 do
    local d = (i + 1) / 2
    local first, last = counted(step, d - 1, step.ranges[i]), counted(step, d - 1, step.ranges[i + 1])
    ranges[d] = { first, last - first + 1 }
  end
  return inZeros(o, step, step.g, ranges)
end

function rules.expand_grad(o, step)
  local g, result = step.g, step.results[1]
  local missing, dims = #g.sizes - #result.sizes, {}
  if count(g.sample) ~= count(result.sample) then
    for d = 1, #g.sizes do
      if d <= missing or result.sample[d - missing] == 1 and g.sample[d] ~= 1 then dims[#dims + 1] = d - 1 end
    end
  end
  local sum = #dims > 0 and o.reduce('ReduceSum', g, dims) or g
  result.list = step.size
  return o.reshapeTo(sum, result)
end

return rules
