--- Histograms, histogram equalisation and stretching.
-- @module image
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'image.arguments'

local histograms = {}

local levels = 256

local function planes(x) return x:dim() == 2 and x:unsqueeze(1) or x end

--- Counts the elements of each channel in each of several bins.
-- @tparam torch.Tensor src
-- @int[opt=256] bins number of bins of equal width
-- @number[opt] min lower bound of the first bin; default: 0
-- @number[opt] max upper bound of the last bin; default: 1 for floats and 256 for integers. An element equal to max is in the last bin;
-- elements outside are not counted
-- @treturn torch.LongTensor channels x bins
function histograms.histogram(src, bins, min, max)
  local where = 'image.histogram'
  arguments.picture(where, src)
  bins = check.whole(where, 'bins', bins or levels, { min = 1, max = 2 ^ 24 })
  min = check.number(where, 'min', min or 0)
  max = check.number(where, 'max', max or (src:isFloatingPoint() and 1 or levels))
  check.that(min < max, ('%s: max: %g, expected more than %g'):format(where, max, min))
  local x = planes(src)
  local counts = torch.LongTensor(x:size(1), bins)
  for c = 1, x:size(1) do counts[c]:copy(torch.histc(x[c]:double(), bins, min, max)) end
  return counts
end

-- Maps a picture as bytes by a table for each channel, and converts the result to the picture's type.
local function mapped(where, src, tableOf)
  arguments.picture(where, src)
  local x = planes(src)
  local bytes = x:isFloatingPoint() and torch.clamp(x, 0, 1):mul(levels - 1):add(0.5):byte() or torch.clamp(x, 0, levels - 1):byte()
  local result = torch.DoubleTensor(bytes:size())
  for c = 1, x:size(1) do
    local places = torch.reshape(bytes[c], bytes[c]:nElement()):long():add(1)
    local values = torch.DoubleTensor(tableOf(torch.bincount(places, levels):totable()))
    result[c]:copy(values:index(1, places):view(x:size(2), x:size(3)))
  end
  if src:isFloatingPoint() then result:div(levels - 1) end
  return result:type(src:type()):view(src:size())
end

--- Spreads the brightness of each channel so that all levels are about as frequent: Pillow's `equalize`. Floats are rounded to 256 levels.
-- @tparam torch.Tensor src bytes, or floats from 0 to 1
-- @treturn torch.Tensor of the type of src
function histograms.equalize(src)
  return mapped('image.equalize', src, function(counts)
    local total, last, used = 0, 0, 0
    for i = 1, levels do
      total = total + counts[i]
      if counts[i] > 0 then last, used = counts[i], used + 1 end
    end
    local step = math.floor((total - last) / (levels - 1))
    local values, n = {}, math.floor(step / 2)
    for i = 1, levels do
      values[i] = (used <= 1 or step == 0) and i - 1 or math.min(levels - 1, math.floor(n / step))
      n = n + counts[i]
    end
    return values
  end)
end

--- Stretches each channel so that its darkest level becomes 0 and its brightest one the largest: Pillow's `autocontrast`. Floats are
-- rounded to 256 levels.
-- @tparam torch.Tensor src bytes, or floats from 0 to 1
-- @treturn torch.Tensor of the type of src
function histograms.autocontrast(src)
  return mapped('image.autocontrast', src, function(counts)
    local low, high = 1, levels
    while low < levels and counts[low] == 0 do low = low + 1 end
    while high > 1 and counts[high] == 0 do high = high - 1 end
    local values, scale = {}, (levels - 1) / (high - low)
    for level = 0, levels - 1 do
      local value = level
      if high > low then value = math.max(0, math.min(levels - 1, math.floor(level * scale - (low - 1) * scale))) end
      values[level + 1] = value
    end
    return values
  end)
end

return histograms
