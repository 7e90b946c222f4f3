--- Resized pictures and parts of pictures.
-- @module image.augment
local torch, check = require 'torch', require 'torch.check'
local draw = require 'image.augment.draw'
local messages = require 'torch.check.message'
local source = require 'image.augment.source'

local resizing = {}

local filters = { bilinear = true, bicubic = true, lanczos = true, hamming = true, box = true, nearest = true }
local names = { 'filter', 'antialias', 'shrinkOnLoad' }

-- Returns the function that resamples a picture, and the resolution that it needs from a file.
local function resampling(where, options)
  local filter = options.filter or 'bilinear'
  if not filters[filter] then
    check.raise(('%s: filter: %s, expected bilinear, bicubic, lanczos, hamming, box or nearest'):format(where,
      messages.value(filter)))
  end
  local sampling = check.flag(where, 'antialias', options.antialias) == false and 'plain' or 'antialiased'
  local shrinks = check.flag(where, 'shrinkOnLoad', options.shrinkOnLoad)
  return function(x, left, top, wide, high, height, width)
    local part = source.part(x, left, top, wide, high, shrinks and { height, width } or nil)
    if part:size(-2) == height and part:size(-1) == width then return part end
    return torch.resample(part, height, width, filter, sampling)
  end
end

--- Resizes the picture.
-- @tparam int|{int,int} size one number for the shorter side (the other side is proportional), or height and width
-- @tparam[opt] table options `filter`: 'bilinear' (default), 'bicubic', 'lanczos', 'hamming', 'box' or 'nearest'; `antialias` (true);
-- `shrinkOnLoad`: a JPEG file may be decoded at a half, a quarter or an eighth of its size first, which is faster but not exact
-- @treturn function
function resizing.resize(size, options)
  local where = 'augment.resize'
  options = draw.options(where, options, names)
  local resample = resampling(where, options)
  local shorter = type(size) == 'number' and check.int(where, 'size', size, { min = 1 })
  local height, width = draw.size(where, 'size', size)
  return function(picture)
    local x = source.open(where, picture)
    local ownHeight, ownWidth = source.size(x)
    if shorter then
      height, width = shorter, shorter
      if ownHeight < ownWidth then width = math.floor(shorter * ownWidth / ownHeight) end
      if ownHeight > ownWidth then height = math.floor(shorter * ownHeight / ownWidth) end
    end
    return resample(x, 0, 0, ownWidth, ownHeight, height, width)
  end
end

--- Crops a part with random area and shape, and resizes it, as in the training of networks for ImageNet.
-- @tparam int|{int,int} size one number, or height and width
-- @tparam[opt] table options `scale`: smallest and largest fraction of the picture's area ({ 0.08, 1 }); `ratio`: of width to height
-- ({ 3 / 4, 4 / 3 }); `filter`, `antialias` and `shrinkOnLoad` as for `resize`; `generator`, `seed`
-- @treturn function
function resizing.randomResizedCrop(size, options)
  local where = 'augment.randomResizedCrop'
  local height, width = draw.size(where, 'size', size)
  local generator
  options, generator = draw.options(where, options, { 'scale', 'ratio', unpack(names) })
  local resample = resampling(where, options)
  local scale = draw.range(where, 'scale', options.scale, { 0.08, 1 }, 0)
  local ratio = draw.range(where, 'ratio', options.ratio, { 3 / 4, 4 / 3 }, 1e-6)
  return function(picture)
    local x = source.open(where, picture)
    local ownHeight, ownWidth = source.size(x)
    local left, top, wide, tall = draw.part(generator, ownHeight, ownWidth, scale, ratio)
    return resample(x, left, top, wide, tall, height, width)
  end
end

return resizing
