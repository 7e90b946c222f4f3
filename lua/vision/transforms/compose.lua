--- Transforms one after another, and those of the picture alone.
-- @module vision.transforms
local check = require 'torch.check'
local augment = require 'image.augment'
local samples = require 'vision.transforms.sample'

local composing = {}

--- Applies transforms one after another.
-- @tparam {function,...} list
-- @treturn function
function composing.compose(list)
  local where = 'transforms.compose'
  check.table(where, 'list', list)
  for i = 1, #list do check.callable(where, ('list[%d]'):format(i), list[i]) end
  return function(sample)
    for i = 1, #list do sample = list[i](sample) end
    return sample
  end
end

--- A transform of the picture alone, which keeps its size, such as those of `image.augment` that change colours.
-- @tparam function f of a picture
-- @treturn function of a sample
function composing.onImage(f)
  local where = 'transforms.onImage'
  check.callable(where, 'f', f)
  return function(sample)
    local height, width = samples.size(where, sample)
    local image = f(sample.image)
    check.tensor(where, "f's result", image)
    check.that(image:dim() == 3 and image:size(2) == height and image:size(3) == width,
      ("%s: f's result: another size, expected %d x %d"):format(where, height, width))
    local result = {}
    for name, value in pairs(sample) do result[name] = value end
    result.image = image
    return result
  end
end

--- `image.augment.colorJitter` of the picture.
-- @param ... its arguments
-- @treturn function
function composing.colorJitter(...) return composing.onImage(augment.colorJitter(...)) end

--- `image.augment.normalize` of the picture.
-- @param ... its arguments: mean, std
-- @treturn function
function composing.normalize(...) return composing.onImage(augment.normalize(...)) end

--- `image.augment.toFloat` of the picture.
-- @param ... its arguments
-- @treturn function
function composing.toFloat(...) return composing.onImage(augment.toFloat(...)) end

return composing
