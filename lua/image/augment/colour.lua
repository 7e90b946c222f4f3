--- Colours and brightness.
-- @module image.augment
local torch, check = require 'torch', require 'torch.check'
local draw = require 'image.augment.draw'
local image = require 'image'
local source = require 'image.augment.source'

local colouring = {}

-- A copy as floats from 0 to 1.
local function floats(x) return x:isFloatingPoint() and x:clone() or x:float():div(255) end

-- Converts floats back to the type of the original picture.
local function back(x, like)
  if like:isFloatingPoint() then return x end
  return x:mul(255):add(0.5):byte()
end

local function isColour(x) return x:size(-3) == 3 end

-- Brightness of each pixel, with one channel.
local function lumaOf(x)
  if not isColour(x) then return x:narrow(-3, 1, 1) end
  local y = torch.mul(x:narrow(-3, 1, 1), 0.299)
  return y:add(0.587, x:narrow(-3, 2, 1)):add(0.114, x:narrow(-3, 3, 1))
end

-- Changes the hue of a picture in place.
local function turnHue(x, turns)
  if x:dim() == 4 then
    for i = 1, x:size(1) do turnHue(x[i], turns) end
    return x
  end
  local hsv = image.rgb2hsv(x)
  local hue = hsv[1]:add(turns)
  hue:csub(torch.floor(hue))
  return x:copy(image.hsv2rgb(hsv))
end

-- Each function changes floats in place by a factor.
local changes = {
  brightness = function(x, factor) return x:mul(factor):clamp(0, 1) end,
  contrast = function(x, factor)
    local y = lumaOf(x)
    local mean = y:dim() == 4 and y:mean(4):mean(3) or y:mean()
    if y:dim() == 4 then return x:mul(factor):add(1 - factor, mean):clamp(0, 1) end
    return x:mul(factor):add((1 - factor) * mean):clamp(0, 1)
  end,
  saturation = function(x, factor)
    if not isColour(x) then return x end
    local grey = lumaOf(x)
    return x:mul(factor):add(1 - factor, grey):clamp(0, 1)
  end,
  hue = function(x, turns) return isColour(x) and turnHue(x, turns) or x end,
}
local kinds = { 'brightness', 'contrast', 'saturation', 'hue' }

-- A range of factors: a number is the maximum distance from 1 (hue: from 0).
local function factors(where, name, value)
  if value == nil then return nil end
  local middle = name == 'hue' and 0 or 1
  if type(value) == 'number' then
    check.number(where, name, value, { min = 0, max = name == 'hue' and 0.5 or nil })
    value = { middle - value, middle + value }
    if name ~= 'hue' then value[1] = math.max(value[1], 0) end
  end
  draw.range(where, name, value, nil, name == 'hue' and -0.5 or 0)
  if name == 'hue' and value[2] > 0.5 then check.raise(('%s: hue: %g, expected 0.5 or less'):format(where, value[2])) end
  return value
end

--- Changes brightness, contrast, saturation and hue, in random order.
-- @tparam[opt] number|{number,number} brightness maximum distance of the factor from 1, or the smallest and the largest factor
-- @tparam[opt] number|{number,number} contrast likewise
-- @tparam[opt] number|{number,number} saturation likewise
-- @tparam[opt] number|{number,number} hue maximum change in turns (0.5 or less), or the smallest and the largest change
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function colouring.colorJitter(brightness, contrast, saturation, hue, options)
  local where = 'augment.colorJitter'
  local given, ranges = { brightness = brightness, contrast = contrast, saturation = saturation, hue = hue }, {}
  for _, name in ipairs(kinds) do ranges[name] = factors(where, name, given[name]) end
  local _, generator = draw.options(where, options, {})
  return function(picture)
    local original = source.picture(where, picture)
    local x = floats(original)
    for _, i in ipairs(draw.order(generator, #kinds)) do
      local range = ranges[kinds[i]]
      if range then x = changes[kinds[i]](x, draw.uniform(generator, range[1], range[2])) end
    end
    return back(x, original)
  end
end

-- A picture without colours, with the given number of channels.
local function grey(x, channels)
  local y = back(lumaOf(floats(x)), x)
  if channels == 1 then return y end
  local size = y:size()
  size[#size - 2] = channels
  return y:expand(size):clone()
end

--- Converts the picture to grey: 0.299 red + 0.587 green + 0.114 blue.
-- @int[opt=1] channels 1 or 3
-- @treturn function
function colouring.grayscale(channels)
  local where = 'augment.grayscale'
  channels = check.int(where, 'channels', channels or 1, { min = 1, max = 3 })
  return function(picture) return grey(source.picture(where, picture), channels) end
end

--- Converts the picture to grey with a probability; the number of channels is unchanged.
-- @number[opt=0.1] probability
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function colouring.randomGrayscale(probability, options)
  local where = 'augment.randomGrayscale'
  probability = draw.probability(where, probability, 0.1)
  local _, generator = draw.options(where, options, {})
  return function(picture)
    local x = source.picture(where, picture)
    return draw.happens(generator, probability) and grey(x, x:size(-3)) or x
  end
end

-- A transform that, with a probability, changes each element separately, given the largest value.
local function pointwise(where, probability, options, change)
  probability = draw.probability(where, probability, 0.5)
  local _, generator = draw.options(where, options, {})
  return function(picture)
    local x = source.picture(where, picture)
    if not draw.happens(generator, probability) then return x end
    return change(x, x:isFloatingPoint() and 1 or 255)
  end
end

--- Inverts the picture with a probability.
-- @number[opt=0.5] probability
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function colouring.randomInvert(probability, options)
  return pointwise('augment.randomInvert', probability, options, function(x, most) return torch.rsub(x, most) end)
end

--- Preserves only the highest bits of each byte, with a probability.
-- @int bits from 0 to 8
-- @number[opt=0.5] probability
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function colouring.randomPosterize(bits, probability, options)
  local where = 'augment.randomPosterize'
  local step = 2 ^ (8 - check.int(where, 'bits', bits, { min = 0, max = 8 }))
  return pointwise(where, probability, options, function(x, most)
    local cut = torch.floor(torch.mul(x:double(), 255 / (most * step) * (1 + 1e-12))):mul(step * most / 255)
    return cut:type(x:type())
  end)
end

--- Inverts values at or above a threshold, with a probability.
-- @number threshold from 0 to 1
-- @number[opt=0.5] probability
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function colouring.randomSolarize(threshold, probability, options)
  local where = 'augment.randomSolarize'
  check.number(where, 'threshold', threshold, { min = 0, max = 1 })
  return pointwise(where, probability, options, function(x, most)
    return torch.where(torch.ge(x, threshold * most), torch.rsub(x, most), x)
  end)
end

return colouring
