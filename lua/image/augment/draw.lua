--- Random draws and options of transforms.
-- @module image.augment.draw
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'

local math, torch_uniform, torch_random = math, torch.uniform, torch.random

local draw = {}

--- The options of a transform.
-- @string where prefix of error messages
-- @tparam ?table options
-- @tparam {string,...} names of the options besides `generator` and `seed`
-- @treturn table
-- @treturn ?torch.Generator the transform's generator
function draw.options(where, options, names)
  local known = { 'generator', 'seed' }
  for i = 1, #names do known[i + 2] = names[i] end
  options = check.options(where, options, known)
  if options.generator ~= nil and torch.type(options.generator) ~= 'torch.Generator' then
    check.raise(('%s: generator: %s, expected a torch.Generator'):format(where, messages.value(options.generator)))
  end
  if options.seed == nil then return options, options.generator end
  local generator = torch.Generator 'philox'
  torch.manualSeed(generator, check.int(where, 'seed', options.seed))
  return options, generator
end

--- A uniform random number between two numbers.
function draw.uniform(generator, from, to) return torch_uniform(generator or torch._gen, from, to) end

--- A random integer between two integers, inclusive.
function draw.int(generator, from, to) return torch_random(generator or torch._gen, from, to) end

--- Draws whether an event with this probability occurs.
function draw.happens(generator, probability)
  return probability >= 1 or probability > 0 and torch_uniform(generator or torch._gen, 0, 1) < probability
end

--- The numbers from 1 to n in random order.
function draw.order(generator, n)
  local order = {}
  for i = 1, n do order[i] = i end
  for i = n, 2, -1 do
    local k = torch_random(generator or torch._gen, 1, i)
    order[i], order[k] = order[k], order[i]
  end
  return order
end

--- Checks a probability.
function draw.probability(where, value, usual)
  return check.number(where, 'probability', value == nil and usual or value, { min = 0, max = 1 })
end

--- Checks two numbers in ascending order.
-- @string where
-- @string name
-- @param value a list of two
-- @tparam {number,number} usual
-- @number[opt] min
function draw.range(where, name, value, usual, min)
  value = value == nil and usual or value
  local good = type(value) == 'table' and type(value[1]) == 'number' and type(value[2]) == 'number' and value[1] <= value[2]
  if not good or min and value[1] < min then
    check.raise(('%s: %s: %s, expected two numbers in order%s'):format(where, name, messages.value(value),
      min and (' from %g on'):format(min) or ''))
  end
  return value
end

--- Checks height and width; one number is used for both.
function draw.size(where, name, value)
  if type(value) == 'number' then value = { value, value } end
  if type(value) ~= 'table' then
    check.raise(('%s: %s: %s, expected a number or { height, width }'):format(where, name, messages.value(value)))
  end
  return check.int(where, name, value[1], { min = 1 }), check.int(where, name, value[2], { min = 1 })
end

--- Rounds half up.
function draw.rounded(x) return math.floor(x + 0.5) end

--- Draws a part with random area and shape; if none fits, returns the largest centred part with an allowed shape.
-- @treturn int left columns before it
-- @treturn int top rows before it
-- @treturn int width
-- @treturn int height
function draw.part(generator, height, width, scale, ratio)
  local area, low, high = height * width, math.log(ratio[1]), math.log(ratio[2])
  for _ = 1, 10 do
    local target = area * draw.uniform(generator, scale[1], scale[2])
    local aspect = math.exp(draw.uniform(generator, low, high))
    local wide, tall = draw.rounded(math.sqrt(target * aspect)), draw.rounded(math.sqrt(target / aspect))
    if wide > 0 and wide <= width and tall > 0 and tall <= height then
      return draw.int(generator, 0, width - wide), draw.int(generator, 0, height - tall), wide, tall
    end
  end
  local wide, tall = width, height
  if width / height < ratio[1] then tall = math.min(height, draw.rounded(width / ratio[1])) end
  if width / height > ratio[2] then wide = math.min(width, draw.rounded(height * ratio[2])) end
  return math.floor((width - wide) / 2), math.floor((height - tall) / 2), wide, tall
end

return draw
