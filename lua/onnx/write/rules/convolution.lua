--- ONNX nodes for convolutions, pooling, resampling and boxes of pictures.
-- @module onnx.write.rules.convolution
local torch = require 'torch'

local rules = {}

-- The names of an op's arguments for each dimension of a picture.
local axes = { { '' }, { 'H', 'W' }, { 'T', 'H', 'W' } }

-- The numbers of an argument such as stride: strideH, strideW.
local function numbers(step, name, dims)
  local list = {}
  for i, axis in ipairs(axes[dims]) do list[i] = step[name .. axis] end
  return list
end

local function twice(list)
  local both = {}
  for i, n in ipairs(list) do both[i], both[#list + i] = n, n end
  return both
end

-- x with a first dimension for the examples, which a picture without it gets.
local function batched(o, x, dims)
  if #x.sizes == dims + 2 then return x, false end
  local sizes = o.sizesOf(x)
  table.insert(sizes, 1, 1)
  return o.reshape(x, sizes), true
end

-- Without it again.
local function result(o, made, isSingle) return isSingle and o.Squeeze(made, o.integers { 0 }) or made end

local function convolution(dims)
  return function(o, step)
    local x, isSingle = batched(o, step.x, dims)
    local made = o.Conv(x, step.weight, step.bias or false, {
      strides = numbers(step, 'stride', dims), pads = twice(numbers(step, 'pad', dims)), dilations = numbers(step, 'dilation', dims),
      group = step.groups,
    })
    return result(o, made, isSingle)
  end
end

local function transposed(o, step, dims, x, bias, more)
  local wide, isSingle = batched(o, x, dims)
  local made = o.ConvTranspose(wide, step.weight, bias or false, {
    strides = numbers(step, 'stride', dims), pads = twice(numbers(step, 'pad', dims)), dilations = numbers(step, 'dilation', dims),
    output_padding = more, group = step.groups,
  })
  return result(o, made, isSingle)
end

local function convolutionTransposed(dims)
  return function(o, step)
    local more = type(step.adj) == 'table' and step.adj or dims == 3 and { 0, 0, 0 } or numbers(step, 'adj', dims)
    return transposed(o, step, dims, step.x, step.bias, more)
  end
end

-- The transposed convolution, with as many elements more as the result has.
local function inputGradient(dims)
  return function(o, step)
    local strides, pads = numbers(step, 'stride', dims), numbers(step, 'pad', dims)
    local dilations, more = numbers(step, 'dilation', dims), {}
    local g, out, weight = step:fixed(step.g), step:fixed(step.results[1]), step:fixed(step.weight)
    for i = 1, dims do
      local size = (g[#g - dims + i] - 1) * strides[i] - 2 * pads[i] + dilations[i] * (weight[2 + i] - 1) + 1
      more[i] = out[#out - dims + i] - size
      if more[i] >= strides[i] and more[i] > 0 then step:refuse('elements behind the last window, expected at most stride - 1') end
    end
    return transposed(o, step, dims, step.g, nil, more)
  end
end

-- A convolution of x by g with channels as examples, whose strides are the dilations.
local function weightGradient(dims)
  return function(o, step)
    if step.groups ~= 1 then step:refuse('%d groups, expected 1', step.groups) end
    local order = { 1, 0 }
    for i = 1, dims do order[i + 2] = i + 1 end
    local x, g = o.permute(batched(o, step.x, dims), order), o.permute(batched(o, step.g, dims), order)
    local made = o.Conv(x, g, {
      strides = numbers(step, 'dilation', dims), pads = twice(numbers(step, 'pad', dims)), dilations = numbers(step, 'stride', dims),
    })
    local sizes = step.results[1].sizes
    for i = 1, dims do made = o.slice(made, i + 1, 0, sizes[2 + i]) end
    local summed = { 0 }
    for i = 1, dims do summed[i + 1] = i + 1 end
    local bias = step:wants(2) and o.reduce('ReduceSum', batched(o, step.g, dims), summed)
    return o.permute(made, order), bias and o.reshapeTo(bias, step.results[2]) or nil
  end
end

for dims, name in ipairs { 'conv1d', 'conv2d', 'conv3d' } do
  rules[name] = convolution(dims)
  rules[name .. '_input_grad'], rules[name .. '_weight_grad'] = inputGradient(dims), weightGradient(dims)
  rules['convTranspose' .. dims .. 'd'] = convolutionTransposed(dims)
end

-- ---- pooling

-- The padding at the ends with which windows that are not cut off give the sizes of the result.
local function endPads(step, dims, kernel, strides, pads, dilations)
  local list, x, out = {}, step.x.sizes, step.results[1].sizes
  for i = 1, dims do
    local size, count = x[#x - dims + i], out[#out - dims + i]
    if not (size and count) then
      if step.ceil then step:refuse('the option ceil for sizes that differ from run to run, expected fixed ones') end
      list[i] = pads[i]
    else
      list[i] = math.max(0, (count - 1) * strides[i] + dilations[i] * (kernel[i] - 1) + 1 - size - pads[i])
    end
  end
  return list
end

local function joined(a, b)
  local list = { unpack(a) }
  for _, n in ipairs(b) do list[#list + 1] = n end
  return list
end

local function maxPool(dims)
  return function(o, step)
    local kernel, strides, pads = numbers(step, 'kernel', dims), numbers(step, 'stride', dims), numbers(step, 'pad', dims)
    local dilations = numbers(step, 'dilation', dims)
    for i, size in ipairs(kernel) do strides[i] = strides[i] or size end
    local x, isSingle = batched(o, step.x, dims)
    local after = endPads(step, dims, kernel, strides, pads, dilations)
    local attributes = { kernel_shape = kernel, strides = strides, pads = joined(pads, after), dilations = dilations }
    if not step:wants(2) then return result(o, o.MaxPool(x, attributes), isSingle) end
    local plane, sizes = 1, step:fixed(step.x)
    for i = 1, dims do plane = plane * sizes[#sizes - dims + i] end
    local values, positions = o.node('MaxPool', 2, x, attributes)      -- positions count through all planes
    return result(o, values, isSingle), result(o, o.oneBased(o.Mod(positions, plane)), isSingle)
  end
end

-- Where padding counts, it becomes a part of the picture; the part of a window beyond it never counts.
local function avgPool(dims)
  return function(o, step)
    local kernel, strides, pads = numbers(step, 'kernel', dims), numbers(step, 'stride', dims), numbers(step, 'pad', dims)
    local ones = {}
    for i, size in ipairs(kernel) do strides[i], ones[i] = strides[i] or size, 1 end
    local x, isSingle = batched(o, step.x, dims)
    local after = endPads(step, dims, kernel, strides, pads, ones)
    local counts = false
    for i = 1, dims do counts = counts or step.countPad and pads[i] > 0 end
    if counts then
      local borders = joined({ 0, 0 }, pads)
      x = o.Pad(x, o.integers(joined(borders, borders)))
      for i = 1, dims do after[i], pads[i] = math.max(0, after[i] - pads[i]), 0 end
    end
    return result(o, o.AveragePool(x, { kernel_shape = kernel, strides = strides, pads = joined(pads, after) }), isSingle)
  end
end

rules.maxPool2d, rules.maxPool3d, rules.avgPool2d, rules.avgPool3d = maxPool(2), maxPool(3), avgPool(2), avgPool(3)

-- Whether windows lie side by side and make up whole pictures, in both runs of the samples.
local function areSideBySide(step, dims, kernel, strides, pads)
  local g, out = step.g, step.results[1]
  for i = 1, dims do
    if strides[i] and strides[i] ~= kernel[i] or pads[i] ~= 0 then return false end
    for _, run in ipairs { 'sample', 'other' } do
      local windows, sizes = g[run] or g.sizes, out[run] or out.sizes
      if sizes[#sizes - dims + i] ~= windows[#windows - dims + i] * kernel[i] then return false end
    end
  end
  return true
end

-- Spreads each element over its window: the nearest element if windows lie side by side, else a transposed convolution of each plane.
local function avgPoolGradient(dims)
  return function(o, step)
    local kernel, strides, pads = numbers(step, 'kernel', dims), numbers(step, 'stride', dims), numbers(step, 'pad', dims)
    if areSideBySide(step, dims, kernel, strides, pads) then
      local area, scales = 1, { 1, 1 }
      for i = 1, dims do area, scales[i + 2] = area * kernel[i], kernel[i] end
      local g, isSingle = batched(o, step.g, dims)
      local spread = o.Resize(g, false, o.constant(torch.FloatTensor(scales)),
        { mode = 'nearest', coordinate_transformation_mode = 'asymmetric', nearest_mode = 'floor' })
      return result(o, o.Mul(spread, o.number(1 / area, step.dtype)), isSingle)
    end
    local g, out, more, area, planes = step:fixed(step.g), step:fixed(step.results[1]), {}, 1, 1
    local hasPads, weights, wide = false, { 1, 1 }, { 0, 1 }
    for i = 1, dims do
      local count, size = g[#g - dims + i], out[#out - dims + i]
      strides[i] = strides[i] or kernel[i]
      more[i] = size - ((count - 1) * strides[i] - 2 * pads[i] + kernel[i])
      if more[i] < 0 then step:refuse('windows that are cut off, expected whole ones') end
      area, hasPads, weights[i + 2], wide[i + 2] = area * kernel[i], hasPads or pads[i] > 0, kernel[i], count
    end
    if hasPads and not step.countPad then step:refuse('padding that does not count, expected no padding') end
    for d = 1, #g - dims do planes = planes * g[d] end
    wide[1] = planes
    step.weight, step.groups = o.full(1 / area, step.dtype, weights), 1
    for _, axis in ipairs(axes[dims]) do
      step['dilation' .. axis], step['stride' .. axis] = 1, step['stride' .. axis] or step['kernel' .. axis]
    end
    local apart = {}      -- elements behind the last window are zeros
    for i = 1, dims do apart[i] = math.min(more[i], strides[i] - 1) end
    local made = transposed(o, step, dims, { name = o.reshape(step.g, wide).name, dtype = step.dtype, sizes = wide }, nil, apart)
    return o.reshapeTo(made, step.results[1])
  end
end
rules.avgPool2d_grad, rules.avgPool3d_grad = avgPoolGradient(2), avgPoolGradient(3)

-- Adds g at the positions of the maxima, plane by plane.
local function maxPoolGradient(dims)
  return function(o, step)
    local out, g = step:fixed(step.results[1]), step:fixed(step.g)
    local planes, plane, windows = 1, 1, 1
    for d, size in ipairs(out) do
      if d <= #out - dims then planes = planes * size else plane, windows = plane * size, windows * g[d] end
    end
    local rows = { planes, windows }
    local zeros = o.full(0, step.dtype, { planes, plane })
    local positions = o.zeroBased(o.reshape(step.indices, rows))
    return o.reshapeTo(o.ScatterElements(zeros, positions, o.reshape(step.g, rows), { axis = 1, reduction = 'add' }), step.results[1])
  end
end
rules.maxPool2d_grad, rules.maxPool3d_grad = maxPoolGradient(2), maxPoolGradient(3)

-- ---- resampling

-- The nodes Resize that compute the same: by filter and sampling.
local resizes = {
  nearest = { plain = { mode = 'nearest', coordinate_transformation_mode = 'asymmetric', nearest_mode = 'floor' } },
  bilinear = {
    plain = { mode = 'linear', coordinate_transformation_mode = 'half_pixel' },
    corners = { mode = 'linear', coordinate_transformation_mode = 'align_corners' },
  },
  bicubic = {
    plain = { mode = 'cubic', coordinate_transformation_mode = 'half_pixel', cubic_coeff_a = { number = -0.75 } },
    corners = { mode = 'cubic', coordinate_transformation_mode = 'align_corners', cubic_coeff_a = { number = -0.75 } },
  },
}

-- Before opset 16, RoiAlign had the one form in which pixels are points.
function rules.roiAlign(o, step)
  if step.aligned then step:needs(o, 16) end
  return o.RoiAlign(step.x, step.boxes, o.zeroBased(step.index), {
    output_height = step.height, output_width = step.width, spatial_scale = { number = step.scale }, sampling_ratio = step.samples,
    coordinate_transformation_mode = o.opset >= 16 and (step.aligned and 'half_pixel' or 'output_half_pixel') or nil,
  })
end

-- The matrix that resamples a column of `size` elements.
local function matrix(step, size, target)
  return torch.resample(torch.eye(size), target, size, step.filter, step.sampling):to(step.dtype)
end

-- Other filters are matrices: each axis is resampled by a linear map.
function rules.resample(o, step)
  if not step.dtype:find 'float' then step:refuse('%s, expected floats: integers are rounded after each axis', step.dtype) end
  local rank = #step.x.sizes
  local attributes = (resizes[step.filter] or {})[step.sampling]
  if attributes then
    local list = o.sizesOf(step.x)
    while #list < 4 do table.insert(list, 1, 1) end
    local x = rank < 4 and o.reshape(step.x, list) or step.x
    list[#list - 1], list[#list] = step.height, step.width
    local made = o.Resize(x, false, false, o.shape(list), attributes)
    if rank < 4 then step.results[1].list = { unpack(list, 5 - rank) } end
    return rank < 4 and o.reshapeTo(made, step.results[1]) or made
  end
  local function axis(d) return matrix(step, step:fixedSize(step.x, d), step:fixedSize(step.results[1], d)) end
  local rows = o.MatMul(o.constant(axis(rank - 1)), step.x)
  return o.MatMul(rows, o.constant(axis(rank):t():contiguous()))
end

return rules
