--- Pictures in other sizes.
-- @module image
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'image.arguments'

local resampling = {}

-- A side of the result from a computed value, which may have a fraction.
local function side(where, value)
  if value < 1 or value > 2 ^ 30 then check.raise(('%s: size: a side of %g elements, expected 1 or more'):format(where, value)) end
  return math.floor(value)
end

-- The width and height that a string or number specifies for a picture.
local function parsedSize(size, width, height)
  local longest = tonumber(size)
  if longest then return width / math.max(width, height) * longest, height / math.max(width, height) * longest end
  size = tostring(size)
  local w, h = size:match '^(%d+)x(%d+)$'
  if w then return tonumber(w), tonumber(h) end
  local shortest = tonumber(size:match '^%^(%d+)$')
  if shortest then return width / math.min(width, height) * shortest, height / math.min(width, height) * shortest end
  local n, d = size:match '^%*(%d+)/(%d+)$'
  local factor = n and tonumber(n) / tonumber(d) or tonumber(size:match '^%*(.+)$')
  if factor then return width * factor, height * factor end
end

-- The size of the result, and the arguments after those for the size.
local function readSize(where, src, ...)
  local width, height = ...
  local rest = 3
  if type(width) ~= 'number' or type(height) ~= 'number' then
    rest = 2
    local isText = type(width) == 'string' or type(width) == 'number'
    width, height = parsedSize(isText and width or '', src:size(-1), src:size(-2))
  end
  if not width or width ~= width or height ~= height then check.raise(where .. ': could not find valid dest size') end
  return side(where, width), side(where, height), select(rest, ...)
end

-- Whether an argument is a size: modes have no digits.
local function isSize(value) return type(value) == 'number' or type(value) == 'string' and value:find '%d' ~= nil end

-- Returns the destination or nil, source, size and further arguments.
local function readArguments(where, ...)
  local dst, src = arguments.split(1, ...)
  arguments.filled(where, src, 4)
  local from = dst and 3 or 2
  if dst and not isSize((select(from, ...))) then
    arguments.picture(where, dst, 4)
    return dst, src, dst:size(-1), dst:size(-2), select(from, ...)
  end
  return dst, src, readSize(where, src, select(from, ...))
end

local modes = { bilinear = 'bilinear', bicubic = 'bicubic', simple = 'nearest' }

--- Scales a picture as Torch7 does.
-- Corners stay in position; if a side shrinks, 'bilinear' averages areas. Bytes are rounded after each side. `image.resample` computes
-- the results of Pillow and torchvision instead.
--
-- Forms: `scale(src, width, height [, mode])`; `scale(src, size [, mode])` with a size that is a number or 'MAX' (of the longest side),
-- '^MIN' (of the shortest one), 'WxH', '*SC' or '*N/D' (a factor); `scale(dst, src [, mode])`, to the size of dst. Batches are supported.
-- @function scale
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @tparam int|string width or the size
-- @tparam[opt] int height
-- @string[opt='bilinear'] mode 'bilinear', 'bicubic' or 'simple' (the nearest element)
-- @treturn torch.Tensor the scaled picture, of the type of src
-- @raise if the size or the mode is invalid
-- @usage image.scale(torch.rand(3, 60, 80), '^30'):size()   --> 3, 30, 40
function resampling.scale(...)
  local dst, src, width, height, mode = readArguments('image.scale', ...)
  local filter = modes[mode == nil and 'bilinear' or mode]
  if not filter then check.raise 'image.scale: mode must be one of: simple | bilinear | bicubic' end
  return arguments.give(dst, check.call(torch.resample, src, height, width, filter, 'aligned'))
end

local filters = { 'bilinear', 'bicubic', 'lanczos', 'hamming', 'box', 'nearest' }

--- Resamples a picture without aliasing, with the results of Pillow and of torchvision's resize.
-- The forms are those of `image.scale`.
-- @function resample
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @tparam int|string width or the size
-- @tparam[opt] int height
-- @string[opt='bilinear'] filter 'bilinear', 'bicubic', 'lanczos', 'hamming', 'box' or 'nearest'
-- @tparam[opt=true] boolean antialias false: the filter ('bilinear', 'bicubic' or 'nearest') is not widened if a side shrinks, as in
-- PyTorch's interpolate
-- @treturn torch.Tensor the resampled picture, of the type of src
-- @raise if the size or the filter is invalid
-- @usage image.resample(torch.rand(3, 60, 80), 40, 30, 'lanczos'):size()   --> 3, 30, 40
function resampling.resample(...)
  local dst, src, width, height, filter, antialias = readArguments('image.resample', ...)
  filter = arguments.word('image.resample', 'filter', filter, filters)
  local sampling = antialias == false and 'plain' or 'antialiased'
  return arguments.give(dst, check.call(torch.resample, src, height, width, filter, sampling))
end

return resampling
