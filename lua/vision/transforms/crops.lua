--- Parts of samples, margins, and other sizes.
-- @module vision.transforms
local torch, check = require 'torch', require 'torch.check'
local draw = require 'image.augment.draw'
local margin = require 'image.augment.margin'
local overlap = require 'vision.overlap'
local samples = require 'vision.transforms.sample'

local cropping = {}

local function shifted(x, y) return function(points) return torch.add(points, points.new({ x, y }):view(1, 2):expand(points:size())) end end

-- The step of a part; outside of the picture there is 0.
local function cropStep(height, width, top, left, high, wide)
  local before = { math.max(-left, 0), math.max(-top, 0), math.max(left + wide - width, 0), math.max(top + high - height, 0) }
  local pads = before[1] + before[2] + before[3] + before[4] > 0
  local function part(x)
    if pads then x = margin.around(x, before, 'constant', 0) end
    return x:narrow(-1, left + before[1] + 1, wide):narrow(-2, top + before[2] + 1, high):clone()
  end
  return { image = part, mask = part, points = shifted(-left, -top), clips = true }
end

--- Takes a part of the sample; outside of the picture there is 0.
-- @int top rows before it
-- @int left columns before it
-- @int height
-- @int width
-- @treturn function
function cropping.crop(top, left, height, width)
  local where = 'transforms.crop'
  check.int(where, 'top', top)
  check.int(where, 'left', left)
  check.int(where, 'height', height, { min = 1 })
  check.int(where, 'width', width, { min = 1 })
  return function(sample)
    local ownHeight, ownWidth = samples.size(where, sample)
    return samples.apply(sample, cropStep(ownHeight, ownWidth, top, left, height, width))
  end
end

--- Takes the middle; outside of a smaller picture there is 0.
-- @tparam int|{int,int} size one number, or height and width
-- @treturn function
function cropping.centerCrop(size)
  local where = 'transforms.centerCrop'
  local height, width = draw.size(where, 'size', size)
  local function before(own, wanted)
    local half = (own - wanted) / 2
    if own < wanted then return math.ceil(half) end
    return half % 2 == 0.5 and math.floor(half) or draw.rounded(half)      -- half to even, as Python rounds
  end
  return function(sample)
    local ownHeight, ownWidth = samples.size(where, sample)
    return samples.apply(sample, cropStep(ownHeight, ownWidth, before(ownHeight, height), before(ownWidth, width), height, width))
  end
end

--- Takes a part at a random position.
-- @tparam int|{int,int} size one number, or height and width, no larger than the picture
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function cropping.randomCrop(size, options)
  local where = 'transforms.randomCrop'
  local height, width = draw.size(where, 'size', size)
  local _, generator = draw.options(where, options, {})
  return function(sample)
    local ownHeight, ownWidth = samples.size(where, sample)
    check.that(ownHeight >= height and ownWidth >= width,
      ('%s: sample.image: %d x %d, expected %d x %d or more'):format(where, ownHeight, ownWidth, height, width))
    local left, top = draw.int(generator, 0, ownWidth - width), draw.int(generator, 0, ownHeight - height)
    return samples.apply(sample, cropStep(ownHeight, ownWidth, top, left, height, width))
  end
end

--- Adds a margin.
-- @tparam int|{int,...} padding one number; left and right, top and bottom; or left, top, right, bottom
-- @tparam[opt] table options `fill`: the picture's value there (0); `maskFill`: the masks' (0)
-- @treturn function
function cropping.pad(padding, options)
  local where = 'transforms.pad'
  options = check.options(where, options, { 'fill', 'maskFill' })
  check.that(padding ~= nil, where .. ': padding: nil, expected a number or a list of numbers')
  local sides = margin.read(where, padding)
  local fill = check.number(where, 'fill', options.fill or 0)
  local maskFill = check.number(where, 'maskFill', options.maskFill or 0)
  local step = {
    image = function(x) return margin.around(x, sides, 'constant', fill) end,
    mask = function(x) return margin.around(x, sides, 'constant', maskFill) end,
    points = shifted(sides[1], sides[2]),
  }
  return function(sample)
    samples.size(where, sample)
    return samples.apply(sample, step)
  end
end

local function resizeStep(ownHeight, ownWidth, height, width)
  return {
    image = function(x) return torch.resample(x, height, width, 'bilinear', 'antialiased') end,
    mask = function(x) return torch.resample(x, height, width, 'nearest', 'plain') end,
    points = function(points)
      return torch.cmul(points, points.new({ width / ownWidth, height / ownHeight }):view(1, 2):expand(points:size()))
    end,
  }
end

--- Resizes the sample, with antialiasing; masks take the nearest pixel.
-- @tparam int|{int,int} size one number for the shorter side, or height and width
-- @tparam[opt] table options `most`: the largest longer side, for one number
-- @treturn function
function cropping.resize(size, options)
  local where = 'transforms.resize'
  options = check.options(where, options, { 'most' })
  local most = options.most and check.int(where, 'most', options.most, { min = 1 })
  local height, width = draw.size(where, 'size', size)
  return function(sample)
    local ownHeight, ownWidth = samples.size(where, sample)
    local high, wide = height, width
    if type(size) == 'number' then
      local short, long = math.min(ownHeight, ownWidth), math.max(ownHeight, ownWidth)
      local newShort, newLong = size, math.floor(size * long / short)
      if most and newLong > most then newShort, newLong = math.max(1, math.floor(most * newShort / newLong)), most end
      if ownHeight <= ownWidth then high, wide = newShort, newLong else high, wide = newLong, newShort end
    end
    return samples.apply(sample, resizeStep(ownHeight, ownWidth, high, wide))
  end
end

--- Takes a part with random area and shape, and resizes it.
-- @tparam int|{int,int} size one number, or height and width
-- @tparam[opt] table options `scale`: smallest and largest fraction of the area ({ 0.08, 1 }); `ratio` of width to height ({ 3 / 4,
-- 4 / 3 }); `generator`, `seed`
-- @treturn function
function cropping.randomResizedCrop(size, options)
  local where = 'transforms.randomResizedCrop'
  local height, width = draw.size(where, 'size', size)
  local generator
  options, generator = draw.options(where, options, { 'scale', 'ratio' })
  local scale = draw.range(where, 'scale', options.scale, { 0.08, 1 }, 0)
  local ratio = draw.range(where, 'ratio', options.ratio, { 3 / 4, 4 / 3 }, 1e-6)
  return function(sample)
    local ownHeight, ownWidth = samples.size(where, sample)
    local left, top, wide, high = draw.part(generator, ownHeight, ownWidth, scale, ratio)
    local part = samples.apply(sample, cropStep(ownHeight, ownWidth, top, left, high, wide))
    return samples.apply(part, resizeStep(high, wide, height, width))
  end
end

-- The objects whose middles are inside a part.
local function middlesInside(boxes, left, top, right, bottom)
  local kept = {}
  for i, box in ipairs(boxes:totable()) do
    local x, y = (box[1] + box[3]) / 2, (box[2] + box[4]) / 2
    if x > left and x < right and y > top and y < bottom then kept[#kept + 1] = i end
  end
  return torch.LongTensor(kept)
end

--- Takes a random part that overlaps an object enough, and keeps the objects whose middles are inside.
-- Liu et al. (2016), "SSD: Single Shot MultiBox Detector", section 2.2.
-- @tparam[opt] table options `scale`: of the sides ({ 0.3, 1 }); `ratio` of width to height ({ 0.5, 2 }); `overlaps`: of these, one is
-- drawn, and an object's intersection over union with the part is at least that; 1 keeps the sample ({ 0, 0.1, 0.3, 0.5, 0.7, 0.9, 1 });
-- `trials` with each (40); `generator`, `seed`
-- @treturn function
function cropping.randomIouCrop(options)
  local where = 'transforms.randomIouCrop'
  local generator
  options, generator = draw.options(where, options, { 'scale', 'ratio', 'overlaps', 'trials' })
  local scale = draw.range(where, 'scale', options.scale, { 0.3, 1 }, 0)
  check.that(scale[2] <= 1, ('%s: scale: %g, expected at most 1'):format(where, scale[2]))
  local ratio = draw.range(where, 'ratio', options.ratio, { 0.5, 2 }, 1e-6)
  local overlaps = check.table(where, 'overlaps', options.overlaps or { 0, 0.1, 0.3, 0.5, 0.7, 0.9, 1 })
  check.that(#overlaps > 0, where .. ': overlaps: an empty list, expected numbers')
  for i, value in ipairs(overlaps) do check.number(where, ('overlaps[%d]'):format(i), value, { min = 0 }) end
  local trials = check.int(where, 'trials', options.trials or 40, { min = 1 })
  local function attempt(sample, height, width, least)
    local wide = math.floor(width * draw.uniform(generator, scale[1], scale[2]))
    local high = math.floor(height * draw.uniform(generator, scale[1], scale[2]))
    if wide < 1 or high < 1 or wide / high < ratio[1] or wide / high > ratio[2] then return nil end
    local left = math.floor((width - wide) * draw.uniform(generator, 0, 1))
    local top = math.floor((height - high) * draw.uniform(generator, 0, 1))
    local kept = middlesInside(sample.boxes, left, top, left + wide, top + high)
    if kept:nElement() == 0 then return nil end
    local part = torch.DoubleTensor { { left, top, left + wide, top + high } }
    if overlap.boxIou(sample.boxes:index(1, kept):double(), part):max() < least then return nil end
    return samples.apply(samples.keep(sample, kept), cropStep(height, width, top, left, high, wide))
  end
  return function(sample)
    local height, width = samples.size(where, sample)
    if not sample.boxes or sample.boxes:size(1) == 0 then return sample end
    for _ = 1, 50 do
      local least = overlaps[draw.int(generator, 1, #overlaps)]
      if least >= 1 then return sample end
      for _ = 1, trials do
        local found = attempt(sample, height, width, least)
        if found then return found end
      end
    end
    return sample
  end
end

return cropping
