--- Convolutions of pictures, and filters based on them: local contrast, morphology, pyramids.
-- @module image
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'image.arguments'
local kernels = require 'image.kernels'
local messages = require 'torch.check.message'

local filters = {}

local function checkedKernel(where, kernel)
  if not torch.isTensor(kernel) or kernel:dim() ~= 2 or kernel:nElement() == 0 then
    check.raise(('%s: kernel: %s, expected a kernel (height x width)'):format(where, messages.value(kernel)))
  end
  return kernel
end

-- Correlates each plane of x, a picture of floats padded with zeros, with a kernel.
local function correlated(x, kernel, padH, padW)
  local size = x:size():totable()
  local height, width = size[#size - 1], size[#size]
  local planes = torch.reshape(x, { x:nElement() / (height * width), 1, height, width })
  local weight = torch.reshape(kernel:type(x:type()), { 1, 1, kernel:size(1), kernel:size(2) })
  local y = torch.conv2d(planes, weight, nil, 1, 1, padH, padW)
  size[#size - 1], size[#size] = y:size(3), y:size(4)
  return torch.reshape(y, size)
end

-- Applies f to a picture as floats, and converts the result to the picture's type.
local function asFloats(src, f)
  if src:isFloatingPoint() then return f(src) end
  return torch.floor(torch.add(f(src:double()), 0.5)):type(src:type())
end

local function middle(full, src, kernel)
  local function part(x, dim, size, skipped) return torch.narrow(x, dim, math.floor((skipped - 1) / 2) + 1, size) end
  local rows = part(full, full:dim() - 1, src:size(-2), kernel:size(1))
  return part(rows, full:dim(), src:size(-1), kernel:size(2))
end

--- Convolves each channel of a picture with a kernel.
-- @function convolve
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @tparam torch.Tensor kernel height x width
-- @string[opt='valid'] mode 'valid': positions where the kernel is inside the picture; 'full': all positions where it overlaps it; 'same':
-- the middle of the latter, with the size of src. Elements beyond the edges are 0
-- @treturn torch.Tensor of the type of src
-- @raise if the kernel is larger than the picture, with 'valid'
function filters.convolve(...)
  local where = 'image.convolve'
  local dst, src, kernel, mode = arguments.split(2, ...)
  arguments.filled(where, src, 4)
  checkedKernel(where, kernel)
  mode = arguments.word(where, 'mode', mode, { 'valid', 'full', 'same' })
  if mode == 'valid' and (kernel:size(1) > src:size(-2) or kernel:size(2) > src:size(-1)) then
    check.raise(('%s: kernel: %s, expected one that fits into %s'):format(where, messages.value(kernel), messages.value(src)))
  end
  local turned = torch.flip(kernel, { 1, 2 })
  local padH, padW = kernel:size(1) - 1, kernel:size(2) - 1
  if mode == 'valid' then padH, padW = 0, 0 end
  local result = asFloats(src, function(x) return correlated(x, turned, padH, padW) end)
  if mode == 'same' then result = middle(result, src, kernel) end
  return dst and arguments.give(dst, result) or result:contiguous()
end

-- The weighted mean around each element, over elements inside the picture, with a kernel whose sum is 1; 1 x height x width.
local function around(x, kernel)
  local covered = filters.convolve(torch.ones(1, x:size(-2), x:size(-1)):type(x:type()), kernel, 'same')
  return torch.cdiv(filters.convolve(torch.mean(x, 1), kernel, 'same'), covered)
end

--- Local contrast normalisation: subtracts the weighted mean around each element and divides by the standard deviation around it, or by
-- the mean standard deviation of the picture if that is larger. Channels share means and deviations.
-- Source: Jarrett et al. (2009), "What is the best multi-stage architecture for object recognition?", ICCV, section 2.
-- @tparam torch.Tensor im picture of floats
-- @tparam[opt] torch.Tensor kernel height x width; default: Gaussian, 9 x 9
-- @treturn torch.Tensor of the size of im
function filters.lcn(im, kernel)
  local where = 'image.lcn'
  arguments.filled(where, im)
  if not im:isFloatingPoint() then check.raise(('%s: im: %s, expected a picture of floats'):format(where, messages.value(im))) end
  kernel = checkedKernel(where, kernel or kernels.gaussian(9))
  kernel = torch.div(kernel:type(im:type()), kernel:sum())
  local x = im:dim() == 2 and torch.reshape(im, { 1, im:size(1), im:size(2) }) or im
  local centred = torch.csub(x, torch.expandAs(around(x, kernel), x))
  local deviation = torch.sqrt(torch.clamp(around(torch.cmul(centred, centred), kernel), 0, math.huge))
  local least = torch.mean(deviation:detach())
  local divisor = torch.clamp(deviation, math.max(least, 1e-12), math.huge)
  return torch.reshape(torch.cdiv(centred, torch.expandAs(divisor, x)), im:size())
end

-- The number of non-zero elements of a picture under the kernel's non-zero elements, at each position; elements beyond the edges are `pad`.
local function hits(im, kernel, pad)
  local height, width = kernel:size(1), kernel:size(2)
  local x = torch.ne(im, 0):float()
  local size = x:size():totable()
  size[#size - 1], size[#size] = size[#size - 1] + height - 1, size[#size] + width - 1
  local padded = torch.FloatTensor(unpack(size)):fill(pad ~= 0 and 1 or 0)
  padded:narrow(#size - 1, math.floor(height / 2) + 1, im:size(-2)):narrow(#size, math.floor(width / 2) + 1, im:size(-1)):copy(x)
  return correlated(padded, torch.ne(kernel, 0):float(), 0, 0)
end

local function morphology(where, im, kernel, pad)
  arguments.filled(where, im)
  kernel = checkedKernel(where, kernel or torch.ones(3, 3))
  return kernel, check.number(where, 'pad', pad)
end

--- Shrinks the shapes of a binary picture: 1 where all elements under the kernel's ones are set.
-- @tparam torch.Tensor im non-zero elements are set
-- @tparam[opt] torch.Tensor kernel height x width; default: 3 x 3 ones
-- @number[opt=1] pad value beyond the edges
-- @treturn torch.Tensor of 0 and 1, of im's type and size
function filters.erode(im, kernel, pad)
  kernel, pad = morphology('image.erode', im, kernel, pad or 1)
  local all = torch.ne(kernel, 0):sum()
  return torch.gt(hits(im, kernel, pad), all - 0.5):type(im:type())
end

--- Grows the shapes of a binary picture: 1 where some element under the ones of the kernel, rotated by 180 degrees, is set.
-- @tparam torch.Tensor im non-zero elements are set
-- @tparam[opt] torch.Tensor kernel height x width; default: 3 x 3 ones
-- @number[opt=0] pad value beyond the edges
-- @treturn torch.Tensor of 0 and 1, of im's type and size
function filters.dilate(im, kernel, pad)
  kernel, pad = morphology('image.dilate', im, kernel, pad or 0)
  return torch.gt(hits(im, torch.flip(kernel, { 1, 2 }), pad), 0.5):type(im:type())
end

-- Smooths a picture to remove details that a scale below 1 can't represent; edges are repeated.
local function smoothed(src, scale)
  local sigma = 0.5 * math.sqrt(1 / scale ^ 2 - 1)
  local reach = math.max(1, math.ceil(3 * sigma))
  local size = 2 * reach + 1
  local kernel = kernels.gaussian1D { size = size, sigma = sigma / size, normalize = true }:type(src:type())
  local covered = torch.ones(src:size()):type(src:type())
  local function blur(x) return filters.convolve(filters.convolve(x, kernel:view(1, size), 'same'), kernel:view(size, 1), 'same') end
  return torch.cdiv(blur(src), blur(covered))
end

--- A picture at several scales, each smoothed according to the scale.
-- @function gaussianpyramid
-- @tparam[opt] {torch.Tensor,...} dst list for the pictures
-- @tparam torch.Tensor src
-- @tparam {number,...} scales factors of both sides
-- @treturn {torch.Tensor,...} a picture for each scale
function filters.gaussianpyramid(...)
  local where = 'image.gaussianpyramid'
  local dst, src, scales = nil, ...
  if not torch.isTensor(src) and type(src) == 'table' then dst, src, scales = ... end
  arguments.filled(where, src)
  check.table(where, 'scales', scales)
  local scale = require('image.resampling').scale
  local list, least = dst or {}, 1 / math.max(src:size(-1), src:size(-2))
  for i, factor in ipairs(scales) do
    check.that(type(factor) == 'number' and factor > 0, where .. ': scales: expected numbers above 0')
    local x = factor == 1 and src:clone() or src
    if factor < 1 then x = asFloats(src, function(y) return smoothed(y, math.max(factor, least)) end) end
    if factor ~= 1 then
      x = scale(x, math.max(1, math.floor(src:size(-1) * factor)), math.max(1, math.floor(src:size(-2) * factor)))
    end
    list[i] = torch.isTensor(list[i]) and arguments.give(list[i], x) or x
  end
  return list
end

return filters
