--- Parts of pictures, and pictures with a margin.
-- @module image.augment
local torch, check = require 'torch', require 'torch.check'
local draw = require 'image.augment.draw'
local margin = require 'image.augment.margin'
local messages = require 'torch.check.message'
local source = require 'image.augment.source'

local cropping = {}

local function padOptions(where, padding, options, names)
  local generator
  options, generator = draw.options(where, options, names)
  local mode = options.mode or 'constant'
  if not margin.modes[mode] then
    check.raise(("%s: mode: %s, expected 'constant', 'edge', 'reflect' or 'symmetric'"):format(where, messages.value(mode)))
  end
  return padding ~= nil and margin.read(where, padding), mode, check.number(where, 'fill', options.fill or 0), generator, options
end

--- Adds a margin around the picture.
-- @tparam int|{int,...} padding one number; left and right, top and bottom; or left, top, right, bottom
-- @tparam[opt] table options `mode`: 'constant' (default), 'edge', 'reflect' (without the edge) or 'symmetric'; `fill`: the constant (0)
-- @treturn function
function cropping.pad(padding, options)
  local where = 'augment.pad'
  check.that(padding ~= nil, where .. ': padding: nil, expected a number or a list of numbers')
  local sides, mode, fill = padOptions(where, padding, options, { 'mode', 'fill' })
  return function(picture) return margin.around(source.picture(where, picture), sides, mode, fill) end
end

-- Adds a margin to a picture that is smaller than the requested part.
local function enlarged(x, height, width, mode, fill)
  local ownHeight, ownWidth = source.size(x)
  if ownHeight >= height and ownWidth >= width then return x end
  if not torch.isTensor(x) then x = x:decode(3, 'byte') end
  local extraWidth, extraHeight = math.max(width - ownWidth, 0), math.max(height - ownHeight, 0)
  local left, top = math.floor(extraWidth / 2), math.floor(extraHeight / 2)
  return margin.around(x, { left, top, extraWidth - left, extraHeight - top }, mode, fill)
end

--- Crops the middle of the picture; a smaller picture gets a margin of 0.
-- @tparam int|{int,int} size one number, or height and width
-- @treturn function
function cropping.centerCrop(size)
  local where = 'augment.centerCrop'
  local height, width = draw.size(where, 'size', size)
  return function(picture)
    local x = enlarged(source.open(where, picture), height, width, 'constant', 0)
    local ownHeight, ownWidth = source.size(x)
    return source.part(x, draw.rounded((ownWidth - width) / 2), draw.rounded((ownHeight - height) / 2), width, height)
  end
end

--- The four corners and the middle, as n = 5 pictures (5 x channels x height x width).
-- @tparam int|{int,int} size one number, or height and width
-- @treturn function
function cropping.fiveCrop(size)
  local where = 'augment.fiveCrop'
  local height, width = draw.size(where, 'size', size)
  local middle = cropping.centerCrop(size)
  return function(picture)
    local x = source.picture(where, picture)
    local right, bottom = x:size(-1) - width, x:size(-2) - height
    if right < 0 or bottom < 0 then
      check.raise(('%s: picture: %s, expected %d x %d or more'):format(where, messages.sizes(x), height, width))
    end
    local function part(left, top) return source.part(x, left, top, width, height) end
    return torch.stack({ part(0, 0), part(right, 0), part(0, bottom), part(right, bottom), middle(x) }, 1)
  end
end

--- Crops the picture at a random position.
-- @tparam int|{int,int} size one number, or height and width
-- @tparam[opt] table options `padding`: a margin to add first, as for `pad`; `padIfNeeded`: adds a margin to a
-- smaller picture, which is an error otherwise; `mode` and `fill` as for `pad`; `generator`, `seed`
-- @treturn function
function cropping.randomCrop(size, options)
  local where = 'augment.randomCrop'
  local height, width = draw.size(where, 'size', size)
  local padding = type(options) == 'table' and options.padding or nil
  local sides, mode, fill, generator, given = padOptions(where, padding, options, { 'padding', 'padIfNeeded', 'mode', 'fill' })
  local padIfNeeded = check.flag(where, 'padIfNeeded', given.padIfNeeded)
  return function(picture)
    local x = sides and margin.around(source.picture(where, picture), sides, mode, fill) or source.open(where, picture)
    if padIfNeeded then x = enlarged(x, height, width, mode, fill) end
    local ownHeight, ownWidth = source.size(x)
    if ownHeight < height or ownWidth < width then
      check.raise(('%s: picture: %d x %d, expected %d x %d or more, or the option padIfNeeded'):format(where, ownHeight, ownWidth,
        height, width))
    end
    return source.part(x, draw.int(generator, 0, ownWidth - width), draw.int(generator, 0, ownHeight - height), width, height)
  end
end

return cropping
