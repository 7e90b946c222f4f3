--- ONNX nodes for gradients of views: zeros around the gradient, or sums of expanded dimensions.
-- @module onnx.write.rules.view_gradients
local count = require('onnx.write.emitter').count

local rules = {}

-- g between zeros. `ranges`: first position (from 0), length, and size of the result, in dimensions (from 1) in which g is smaller.
local function inZeros(o, g, rank, ranges)
  local pads = {}
  for d = 1, rank do
    local range = ranges[d] or { 0, 0, 0 }
    pads[d], pads[rank + d] = range[1], o.minus(o.minus(range[3], range[1]), range[2])
  end
  return o.Pad(g, o.shape(pads))
end

function rules.narrow_grad(o, step)
  local dim = step:axisOf(step.results[1], step.dim)
  local first = o.fromStart(step.first, { sizes = step.size }, dim + 1)
  return inZeros(o, step.g, #step.g.sizes, { [dim + 1] = { first, o.size(step.g, dim + 1), step.size[dim + 1] } })
end

function rules.select_grad(o, step)
  local rank, sizes = #step.results[1].sizes, {}
  local dim = rank == 1 and 0 or step:axisOf(step.results[1], step.dim)
  local size = step:fixed(step.results[1])[dim + 1]
  for d, each in ipairs(step.results[1].sizes) do sizes[d] = d == dim + 1 and 1 or each end
  return inZeros(o, o.reshape(step.g, sizes), rank, { [dim + 1] = { o.fromStart(step.index, step.results[1], dim + 1), 1, size } })
end

function rules.sub_grad(o, step)
  local result, ranges = step.results[1], {}
  step:fixed(result)
  for i = 1, #step.ranges, 2 do
    local d = (i + 1) / 2
    local first, last = o.fromStart(step.ranges[i], result, d), o.fromStart(step.ranges[i + 1], result, d)
    ranges[d] = { first, last - first + 1, result.sizes[d] }
  end
  return inZeros(o, step.g, #result.sizes, ranges)
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
