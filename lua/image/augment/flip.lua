--- Mirrored pictures.
-- @module image.augment
local torch = require 'torch'
local draw = require 'image.augment.draw'
local source = require 'image.augment.source'

local flipping = {}

local function flip(where, dim, probability, options)
  probability = draw.probability(where, probability, 0.5)
  local _, generator = draw.options(where, options, {})
  local dims = { dim }
  return function(picture)
    local x = source.picture(where, picture)
    return draw.happens(generator, probability) and torch.flip(x, dims) or x
  end
end

--- Mirrors the picture with a probability: left becomes right.
-- @number[opt=0.5] probability
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function flipping.randomHorizontalFlip(probability, options)
  return flip('augment.randomHorizontalFlip', -1, probability, options)
end

--- Mirrors the picture with a probability: top becomes bottom.
-- @number[opt=0.5] probability
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function flipping.randomVerticalFlip(probability, options) return flip('augment.randomVerticalFlip', -2, probability, options) end

return flipping
