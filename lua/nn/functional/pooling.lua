--- Pooling as functions, in nn.functional. Inputs are (N, C, …) or (C, …), with 1 to 3 dimensions after the channels. Sizes of windows are
-- an integer for all dimensions, or a list. Positions count from 1 in the row-major order of a channel's elements.
-- @module nn.functional.pooling
local signature, support = require 'nn.support.signature', require 'nn.support.pooling'

local pooling = {}

local function window(dims, name, least, default)
  return { name, 'window', dims = dims, min = least, default = default, optional = default == nil }
end

local function flag(name, default) return { name, 'boolean', default = default } end

for dims = 1, 3 do
  local function define(name, parameters, f)
    name = ('%s%dd'):format(name, dims)
    local where = 'nn.functional.' .. name
    pooling[name] = signature(where, parameters, function(...) return f(where, dims, ...) end)
  end
  local kernel = { 'kernelSize', 'window', dims = dims, min = 1 }

  define('maxPool', {
    { 'input', 'tensor' }, kernel, window(dims, 'stride', 1), window(dims, 'padding', 0, 0), window(dims, 'dilation', 1, 1),
    flag('ceilMode', false), flag('returnIndices', false),
  }, function(where, _, input, size, stride, padding, dilation, ceil, withIndices)
    local values, indices = support.max(where, dims, input, size, stride, padding, dilation, ceil)
    if withIndices then return values, indices end
    return values
  end)

  local average = {
    { 'input', 'tensor' }, kernel, window(dims, 'stride', 1), window(dims, 'padding', 0, 0), flag('ceilMode', false),
    flag('countIncludePad', true), { 'divisorOverride', 'number', optional = true },
  }
  if dims == 1 then average[#average] = nil end
  define('avgPool', average, support.average)

  define('lpPool', {
    { 'input', 'tensor' }, { 'normType', 'number' }, kernel, window(dims, 'stride', 1), flag('ceilMode', false),
  }, support.power)

  define('adaptiveAvgPool', { { 'input', 'tensor' }, { 'outputSize', 'target', dims = dims, min = 1 } }, support.adaptiveAverage)

  define('adaptiveMaxPool', {
    { 'input', 'tensor' }, { 'outputSize', 'target', dims = dims, min = 1 }, flag('returnIndices', false),
  }, support.adaptiveMax)

  define('maxUnpool', {
    { 'input', 'tensor' }, { 'indices', 'tensor' }, kernel, window(dims, 'stride', 1), window(dims, 'padding', 0, 0),
    { 'outputSize', 'sizes', min = 1, optional = true },
  }, support.unpool)

  if dims > 1 then
    define('fractionalMaxPool', {
      { 'input', 'tensor' }, kernel, window(dims, 'outputSize', 1),
      { 'outputRatio', 'ratios', dims = dims, min = 0, max = 1, optional = true }, flag('returnIndices', false),
      { 'randomSamples', 'tensor', optional = true },
    }, function(where, _, input, size, outputSize, ratios, withIndices, samples)
      local values, indices = support.fractional(where, dims, input, size, outputSize, ratios, samples)
      if withIndices then return values, indices end
      return values
    end)
  end
end

--- The largest element of each window.
-- @function maxPool2d
-- @tparam torch.Tensor input
-- @tparam int|{int,int} kernelSize
-- @tparam[opt=kernelSize] int|{int,int} stride
-- @tparam[opt=0] int|{int,int} padding at most half of kernelSize; it is never the maximum
-- @tparam[opt=1] int|{int,int} dilation
-- @tparam[opt=false] boolean ceilMode round sizes up: the last window may extend beyond the input
-- @tparam[opt=false] boolean returnIndices also return the positions
-- @treturn torch.Tensor
-- @treturn ?torch.LongTensor positions

--- Maxima of windows with the arguments of `maxPool2d`, for sequences.
-- @function maxPool1d

--- Maxima of windows with the arguments of `maxPool2d`, for volumes.
-- @function maxPool3d

--- The mean of each window.
-- @function avgPool2d
-- @tparam torch.Tensor input
-- @tparam int|{int,int} kernelSize
-- @tparam[opt=kernelSize] int|{int,int} stride
-- @tparam[opt=0] int|{int,int} padding zeros, at most half of kernelSize
-- @tparam[opt=false] boolean ceilMode
-- @tparam[opt=true] boolean countIncludePad whether padding counts as elements
-- @tparam[opt] number divisorOverride divide the sum by it
-- @treturn torch.Tensor

--- Means of windows with the arguments of `avgPool2d`, for sequences; there is no divisorOverride.
-- @function avgPool1d

--- Means of windows with the arguments of `avgPool2d`, for volumes.
-- @function avgPool3d

--- (sum of x^normType)^(1 / normType) of each window.
-- @function lpPool2d
-- @tparam torch.Tensor input
-- @number normType
-- @tparam int|{int,int} kernelSize
-- @tparam[opt=kernelSize] int|{int,int} stride
-- @tparam[opt=false] boolean ceilMode
-- @treturn torch.Tensor

--- Power sums of windows with the arguments of `lpPool2d`, for sequences.
-- @function lpPool1d

--- Power sums of windows with the arguments of `lpPool2d`, for volumes.
-- @function lpPool3d

--- The mean of each of outputSize bins: bin i of n, of s elements, extends from floor((i - 1) s / n) + 1 to ceil(i s / n).
-- @function adaptiveAvgPool2d
-- @tparam torch.Tensor input
-- @tparam int|{int,int} outputSize false as an entry keeps the size of the input
-- @treturn torch.Tensor

--- Means of bins with the arguments of `adaptiveAvgPool2d`, for sequences.
-- @function adaptiveAvgPool1d

--- Means of bins with the arguments of `adaptiveAvgPool2d`, for volumes.
-- @function adaptiveAvgPool3d

--- The largest element of each of these bins.
-- @function adaptiveMaxPool2d
-- @tparam torch.Tensor input
-- @tparam int|{int,int} outputSize
-- @tparam[opt=false] boolean returnIndices
-- @treturn torch.Tensor
-- @treturn ?torch.LongTensor positions

--- Maxima of bins with the arguments of `adaptiveMaxPool2d`, for sequences.
-- @function adaptiveMaxPool1d

--- Maxima of bins with the arguments of `adaptiveMaxPool2d`, for volumes.
-- @function adaptiveMaxPool3d

--- The largest element of each of outputSize windows at pseudo-random positions.
-- Source: Graham (2014), "Fractional Max-Pooling", arXiv:1412.6071.
-- @function fractionalMaxPool2d
-- @tparam torch.Tensor input
-- @tparam int|{int,int} kernelSize
-- @tparam[opt] int|{int,int} outputSize
-- @tparam[opt] number|{number,number} outputRatio of the sizes of output and input, if there is no outputSize
-- @tparam[opt=false] boolean returnIndices
-- @tparam[opt] torch.Tensor randomSamples (N, C, 2), numbers from 0 to 1, for columns, then rows; by default new ones
-- @treturn torch.Tensor
-- @treturn ?torch.LongTensor positions

--- Maxima of windows at pseudo-random positions with the arguments of `fractionalMaxPool2d`, for volumes.
-- @function fractionalMaxPool3d

--- Values at the positions that a max-pooling returned, and zeros elsewhere.
-- @function maxUnpool2d
-- @tparam torch.Tensor input
-- @tparam torch.LongTensor indices positions
-- @tparam int|{int,int} kernelSize of the pooling
-- @tparam[opt=kernelSize] int|{int,int} stride
-- @tparam[opt=0] int|{int,int} padding
-- @tparam[opt] {int,...} outputSize of the pooling's input; by default the smallest possible one
-- @treturn torch.Tensor

--- Values at positions with the arguments of `maxUnpool2d`, for sequences.
-- @function maxUnpool1d

--- Values at positions with the arguments of `maxUnpool2d`, for volumes.
-- @function maxUnpool3d

return pooling
