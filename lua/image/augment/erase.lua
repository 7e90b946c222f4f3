--- Erased parts of pictures.
-- @module image.augment
local check = require 'torch.check'
local draw = require 'image.augment.draw'
local messages = require 'torch.check.message'
local source = require 'image.augment.source'
local torch = require 'torch'

local erasing = {}

-- A part with random area and shape that doesn't cover the picture; nil if none was found.
local function drawPart(generator, height, width, scale, ratio)
  local low, high = math.log(ratio[1]), math.log(ratio[2])
  for _ = 1, 10 do
    local area = height * width * draw.uniform(generator, scale[1], scale[2])
    local aspect = math.exp(draw.uniform(generator, low, high))
    local tall, wide = draw.rounded(math.sqrt(area * aspect)), draw.rounded(math.sqrt(area / aspect))
    if tall > 0 and tall < height and wide > 0 and wide < width then
      return draw.int(generator, 0, width - wide), draw.int(generator, 0, height - tall), wide, tall
    end
  end
end

local function checkValue(where, value)
  if value == nil then return 0 end
  if value == 'random' or type(value) == 'number' then return value end
  if type(value) ~= 'table' then
    check.raise(("%s: value: %s, expected a number, a list of them or 'random'"):format(where, messages.value(value)))
  end
  for i = 1, #value do check.number(where, 'value', value[i]) end
  return value
end

--- Erases a part of the picture (Zhong et al. (2017), "Random Erasing Data Augmentation", arXiv:1708.04896).
-- @number[opt=0.5] probability
-- @tparam[opt] table options `scale`: smallest and largest fraction of the picture's area ({ 0.02, 0.33 }); `ratio`: of height to width
-- ({ 0.3, 3.3 }); `value` of the erased part: a number (0), a list with one per channel, or 'random', normal noise; `generator`, `seed`
-- @treturn function
function erasing.randomErasing(probability, options)
  local where = 'augment.randomErasing'
  probability = draw.probability(where, probability, 0.5)
  local generator
  options, generator = draw.options(where, options, { 'scale', 'ratio', 'value' })
  local scale = draw.range(where, 'scale', options.scale, { 0.02, 0.33 }, 0)
  local ratio = draw.range(where, 'ratio', options.ratio, { 0.3, 3.3 }, 1e-6)
  local value = checkValue(where, options.value)
  return function(picture)
    local x = source.picture(where, picture)
    if not draw.happens(generator, probability) then return x end
    local left, top, wide, tall = drawPart(generator, x:size(-2), x:size(-1), scale, ratio)
    if not left then return x end
    x = x:clone()
    local part = source.part(x, left, top, wide, tall)
    if value == 'random' then
      part:copy(torch.FloatTensor(part:size()):normal(generator or torch._gen, 0, 1):mul(x:isFloatingPoint() and 1 or 255))
    elseif type(value) == 'number' then
      part:fill(value)
    else
      check.that(#value == x:size(-3), ('%s: value: %d numbers for a picture of %d channels'):format(where, #value, x:size(-3)))
      for c = 1, #value do part:select(-3, c):fill(value[c]) end
    end
    return x
  end
end

return erasing
