--- Pooling in 1 to 3 dimensions. Sequences are pooled as images of one row.
-- @module nn.support.pooling
local torch, check = require 'torch', require 'torch.check'
local border, convolution = require 'nn.support.border', require 'nn.support.convolution'
local resample, onDeviceOf = require 'nn.support.resample', require 'autograd.on_device_of'
local tape = require 'autograd.tape'
local messages, refuse = require 'torch.check.message', require 'torch.check.refuse'

local unpack = unpack
local numbers, expectDims = convolution.numbers, convolution.expectDims

local pooling = {}

-- Returns an op of images as one of sequences: sizes along the row are in lists of one number.
local function ofRow(x, op, ...)
  local dim = x:dim()
  local values, positions = op(torch.unsqueeze(x, dim), ...)
  return torch.squeeze(values, dim), positions and torch.squeeze(positions, dim)
end

--- Maxima of windows, and their positions, counted in row-major order from 1.
function pooling.max(where, dims, input, kernel, stride, padding, dilation, ceil)
  expectDims(where, input, dims)
  stride = stride or kernel
  if dims == 1 then
    return ofRow(input, torch.maxPool2d, 1, kernel[1], 1, stride[1], 0, padding[1], ceil, 1, dilation[1])
  elseif dims == 2 then
    return torch.maxPool2d(input, kernel[1], kernel[2], stride[1], stride[2], padding[1], padding[2], ceil, dilation[1], dilation[2])
  end
  return torch.maxPool3d(input, kernel[1], kernel[2], kernel[3], stride[1], stride[2], stride[3], padding[1], padding[2], padding[3], ceil,
    unpack(dilation))
end

local function means(dims, input, kernel, stride, padding, ceil, countPad)
  if dims == 1 then return (ofRow(input, torch.avgPool2d, 1, kernel[1], 1, stride[1], 0, padding[1], ceil, countPad)) end
  local a, b, c, d, e, f, g, h, i = numbers(dims, kernel, stride, padding)
  if dims == 2 then return torch.avgPool2d(input, a, b, c, d, e, f, ceil, countPad) end
  return torch.avgPool3d(input, a, b, c, d, e, f, g, h, i, ceil, countPad)
end

-- Returns the widths of a border for which all windows are complete.
local function completing(where, dims, input, kernel, stride, padding, ceil)
  local widths = {}
  for i = dims, 1, -1 do
    local size = input:size(input:dim() - dims + i)
    local steps = (size + 2 * padding[i] - kernel[i]) / stride[i]
    local last = (ceil and math.ceil(steps) or math.floor(steps)) * stride[i]
    if ceil and last >= size + padding[i] then last = last - stride[i] end      -- no window begins behind the input
    if last < 0 or padding[i] > kernel[i] / 2 then
      refuse.shape(('%s: input: size %d of dimension %d, for a window of %d and padding of %d'):format(where, size,
        input:dim() - dims + i, kernel[i], padding[i]))
    end
    widths[#widths + 1] = padding[i]
    widths[#widths + 1] = math.max(last + kernel[i] - size - padding[i], 0)
  end
  return widths
end

local none = { 0, 0, 0 }

--- Means of windows; sums divided by `divisor`, if there is one.
function pooling.average(where, dims, input, kernel, stride, padding, ceil, countPad, divisor)
  expectDims(where, input, dims)
  stride = stride or kernel
  if not divisor then return means(dims, input, kernel, stride, padding, ceil, countPad) end
  local count = 1
  for i = 1, dims do count = count * kernel[i] end
  local complete = border.pad(where, input, completing(where, dims, input, kernel, stride, padding, ceil), 'constant')
  return torch.mul(means(dims, complete, kernel, stride, none, false, true), count / divisor)
end

--- (sum of x^p)^(1/p) for each window; parts of windows that are outside of the input have the mean of the others.
function pooling.power(where, dims, input, p, kernel, stride, ceil)
  local averages = pooling.average(where, dims, torch.pow(input, p), kernel, stride, none, ceil, true)
  local count = 1
  for i = 1, dims do count = count * kernel[i] end
  return torch.pow(torch.mul(torch.cmul(torch.sign(averages), torch.relu(torch.abs(averages))), count), 1 / p)
end

-- Returns the sizes of an adaptive pooling's result: false keeps the size of the input.
local function targets(where, dims, input, sizes)
  expectDims(where, input, dims)
  local list = {}
  for i = 1, dims do
    local size = input:size(input:dim() - dims + i)
    if size < 1 then refuse.shape(('%s: input: %s, expected elements'):format(where, messages.sizes(input))) end
    list[i] = sizes[i] or size
  end
  return list
end

--- Means of a fixed number of bins along each dimension.
function pooling.adaptiveAverage(where, dims, input, sizes)
  sizes = targets(where, dims, input, sizes)
  if dims == 2 then return resample.meansOfImages(input, sizes[1], sizes[2]) end
  for i = dims, 1, -1 do input = resample.means(input, input:dim() - dims + i, sizes[i]) end
  return input
end

-- Returns positions in bins as positions along a dimension of size n.
local function absolute(places, dim, n)
  local count, shape = places:size(dim), {}
  local starts = torch.LongTensor(count)
  for i = 1, count do starts[i] = (resample.bin(i, n, count)) end
  for d = 1, places:dim() do shape[d] = d == dim and count or 1 end
  return torch.add(places, onDeviceOf(starts, places):view(torch.LongStorage(shape)):expandAs(places))
end

-- Returns positions in row-major order, from those along each dimension, counted from 1.
local function rowMajor(positions, sizes)
  local result = positions[1]
  for i = 2, #positions do result = torch.add(torch.mul(torch.add(result, -1), sizes[i]), positions[i]) end
  return result
end

--- Maxima of a fixed number of bins along each dimension, and, if wanted, their positions in row-major order.
function pooling.adaptiveMax(where, dims, input, sizes, withPositions)
  sizes = targets(where, dims, input, sizes)
  if dims == 2 then
    local down, across = resample.windows(input, sizes[1], sizes[2])
    if down then
      local maxima, places = torch.maxPool2d(input, down, across)
      if withPositions then return maxima, places end
      return maxima
    end
  end
  local positions, from = {}, {}
  for i = dims, 1, -1 do
    local dim = input:dim() - dims + i
    from[i] = input:size(dim)
    local maxima, places = resample.maxima(input, dim, sizes[i])
    if withPositions then
      for j = i + 1, dims do positions[j] = resample.chosen(positions[j], dim, sizes[i], places) end
      positions[i] = absolute(places, dim, from[i])
    end
    input = maxima
  end
  if withPositions then return input, rowMajor(positions, from) end
  return input
end

--- Maxima of windows at pseudo-random positions (nn.support.fractional), and their positions in row-major order. `ratios` are those of the
-- result's sizes to the input's, if there are no sizes; `samples` are (N, C, dims), from 0 to 1.
function pooling.fractional(where, dims, input, kernel, sizes, ratios, samples)
  expectDims(where, input, dims)
  if (sizes == nil) == (ratios == nil) then check.raise(where .. ': outputSize: expected it or outputRatio') end
  local first, list = input:dim() - dims, {}
  for i = 1, dims do
    local size = input:size(first + i)
    list[i] = sizes and sizes[i] or math.floor(size * ratios[i])
    if list[i] < 1 or list[i] + kernel[i] - 1 > size then
      refuse.shape(('%s: input: size %d of dimension %d, expected room for %d windows of %d'):format(where, size, first + i, list[i],
        kernel[i]))
    end
  end
  local batch, planes = first == 2 and input:size(1) or 1, input:size(first)
  if samples == nil then
    samples = input.new(batch, planes, dims):uniform()
  else
    samples = samples:detach()
  end
  if samples:dim() ~= 3 or samples:size(1) ~= batch or samples:size(2) ~= planes or samples:size(3) ~= dims then
    refuse.shape(('%s: randomSamples: %s, expected [%d, %d, %d]'):format(where, messages.sizes(samples), batch, planes, dims))
  elseif samples:min() < 0 or samples:max() >= 1 then
    refuse.range(where .. ': randomSamples: expected numbers from 0, less than 1')
  end
  if dims == 3 then samples = torch.flip(samples, 3) end                     -- PyTorch's order is T, H, W, that of images W, H
  return require('nn.support.fractional').pool(input, samples:view(batch * planes, dims), list, kernel)
end

-- Writes the rows x (planes, positions) into rows of `plane` zeros. Each value has the gradient of its position, also if others have the
-- same one.
local spread = tape.declare('nn.functional.maxUnpool', function(x, positions, plane)
  return torch.scatter(x.new(x:size(1), plane):zero(), 2, positions, x)
end, { arguments = { 'x', 'positions', 'plane' }, 'gather(g, 2, positions)' })

--- Values at positions, and zeros elsewhere. `wanted` has the sizes of the result; it may contain the batch and the channels.
function pooling.unpool(where, dims, input, indices, kernel, stride, padding, wanted)
  expectDims(where, input, dims)
  if not indices:type():find 'LongTensor$' or not indices:isSameSizeAs(input) then
    refuse.shape(('%s: indices: %s, expected a LongTensor of the size %s'):format(where, messages.tensor(indices), messages.sizes(input)))
  end
  stride = stride or kernel
  local first, sizes, plane = input:dim() - dims, input:size():totable(), 1
  if wanted and #wanted ~= dims and #wanted ~= #sizes then
    check.raise(('%s: outputSize: %s, expected a list of %d sizes'):format(where, messages.value(wanted), dims))
  end
  for i = 1, dims do
    local usual = (sizes[first + i] - 1) * stride[i] - 2 * padding[i] + kernel[i]
    if wanted then
      local least = math.max(usual - stride[i] + 1, 1)
      usual = check.int(where, 'outputSize', wanted[#wanted - dims + i], { min = least, max = usual + stride[i] - 1 })
    end
    sizes[first + i] = usual
    plane = plane * usual
  end
  local planes = 1
  for d = 1, first do planes = planes * sizes[d] end
  local rows = planes == 0 and 0 or input:nElement() / planes
  return torch.reshape(spread(torch.reshape(input, { planes, rows }), torch.reshape(indices, { planes, rows }), plane), sizes)
end

return pooling
