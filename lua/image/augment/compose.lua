--- Transforms composed of transforms.
-- @module image.augment
local check = require 'torch.check'
local draw = require 'image.augment.draw'
local source = require 'image.augment.source'

local composing = {}

local function checkList(where, transforms)
  check.table(where, 'transforms', transforms)
  for i = 1, #transforms do check.callable(where, ('transforms: number %d'):format(i), transforms[i]) end
  return transforms
end

--- Applies transforms one after another.
-- @tparam {function,...} transforms
-- @treturn function
function composing.compose(transforms)
  checkList('augment.compose', transforms)
  return function(picture)
    for i = 1, #transforms do picture = transforms[i](picture) end
    return picture
  end
end

--- A function as a transform: its argument is a picture; files are decoded first.
-- @tparam function f
-- @treturn function
function composing.lambda(f)
  check.callable('augment.lambda', 'f', f)
  return function(picture) return f(source.picture('augment.lambda', picture)) end
end

--- Applies all transforms with a probability, or none.
-- @tparam {function,...} transforms
-- @number[opt=0.5] probability
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function composing.randomApply(transforms, probability, options)
  local where = 'augment.randomApply'
  local all = composing.compose(checkList(where, transforms))
  probability = draw.probability(where, probability, 0.5)
  local _, generator = draw.options(where, options, {})
  return function(picture)
    if draw.happens(generator, probability) then return all(picture) end
    return source.picture(where, picture)
  end
end

--- Applies one of several transforms at random.
-- @tparam {function,...} transforms
-- @tparam[opt] table options `weights`, a list of relative probabilities; `generator`, `seed`
-- @treturn function
function composing.randomChoice(transforms, options)
  local where = 'augment.randomChoice'
  checkList(where, transforms)
  local generator
  options, generator = draw.options(where, options, { 'weights' })
  if options.weights ~= nil then check.table(where, 'weights', options.weights) end
  local weights, total = {}, 0
  for i = 1, #transforms do
    local weight = 1
    if options.weights then weight = options.weights[i] end
    weights[i] = check.number(where, ('weights: number %d'):format(i), weight, { min = 0 })
    total = total + weights[i]
  end
  check.that(total > 0, where .. ': transforms: none that may be chosen')
  return function(picture)
    local at, i = draw.uniform(generator, 0, total), 1
    while i < #transforms and at >= weights[i] do
      at = at - weights[i]
      i = i + 1
    end
    return transforms[i](picture)
  end
end

--- Applies all transforms in random order.
-- @tparam {function,...} transforms
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function composing.randomOrder(transforms, options)
  local where = 'augment.randomOrder'
  checkList(where, transforms)
  local _, generator = draw.options(where, options, {})
  return function(picture)
    for _, i in ipairs(draw.order(generator, #transforms)) do picture = transforms[i](picture) end
    return picture
  end
end

return composing
