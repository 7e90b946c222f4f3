--- Random rotations, affine and perspective maps.
-- @module image.augment
local torch, check = require 'torch', require 'torch.check'
local draw = require 'image.augment.draw'
local image = require 'image'
local messages = require 'torch.check.message'
local source = require 'image.augment.source'

local mapping = {}

local modes = { simple = true, bilinear = true, bicubic = true, lanczos = true }
local tan, cos, sin, rad = math.tan, math.cos, math.sin, math.rad

-- Options for `image.perspective`, for pictures of bytes and floats.
local function look(where, options)
  local mode = options.mode or 'bilinear'
  if not modes[mode] then
    check.raise(('%s: mode: %s, expected simple, bilinear, bicubic or lanczos'):format(where, messages.value(mode)))
  end
  return { mode = mode, padvalue = check.number(where, 'fill', options.fill or 0) }
end

-- Checks a range; a number means the range from its negative to itself.
local function aroundZero(where, name, value)
  if type(value) == 'number' then value = { -check.number(where, name, value, { min = 0 }), value } end
  return draw.range(where, name, value)
end

-- The map from (x, y, 1) in the rotated (degrees, clockwise), sheared, scaled and moved picture to the original.
local function affineMap(height, width, degrees, right, down, scale, shearX, shearY)
  local angle, sx, sy = rad(degrees), rad(shearX), rad(shearY)
  local a, c = cos(angle - sy) / cos(sy), sin(angle - sy) / cos(sy)
  local b, d = -a * tan(sx) - sin(angle), -c * tan(sx) + cos(angle)
  local x, y = (width - 1) / 2, (height - 1) / 2
  local p, q, r, s = d / scale, -b / scale, -c / scale, a / scale
  return torch.DoubleTensor {
    { p, q, x - p * (x + right) - q * (y + down) }, { r, s, y - r * (x + right) - s * (y + down) }, { 0, 0, 1 },
  }
end

--- Rotates the picture about its centre.
-- @tparam number|{number,number} degrees maximum angle to either side, or the range; positive is counter-clockwise
-- @tparam[opt] table options `mode`: 'bilinear' (default), 'simple' (nearest), 'bicubic' or 'lanczos'; `fill`: value of the uncovered
-- area (0); `generator`, `seed`
-- @treturn function
function mapping.randomRotation(degrees, options)
  local where = 'augment.randomRotation'
  local generator
  options, generator = draw.options(where, options, { 'mode', 'fill' })
  degrees = aroundZero(where, 'degrees', degrees)
  local view = look(where, options)
  return function(picture)
    local x = source.picture(where, picture)
    local map = affineMap(x:size(-2), x:size(-1), -draw.uniform(generator, degrees[1], degrees[2]), 0, 0, 1, 0, 0)
    return image.perspective(x, map, view)
  end
end

-- The maximum translation, as fractions of the picture's sides; nil for none.
local function translation(where, value)
  if value == nil then return nil end
  check.table(where, 'translate', value)
  for i = 1, 2 do check.number(where, 'translate', value[i], { min = 0, max = 1 }) end
  return value
end

-- From x, to x, from y, to y.
local function shearing(where, value)
  if value == nil then return nil end
  if type(value) == 'table' and #value == 4 then
    draw.range(where, 'shear', { value[1], value[2] })
    draw.range(where, 'shear', { value[3], value[4] })
    return value
  end
  local range = aroundZero(where, 'shear', value)
  return { range[1], range[2], 0, 0 }
end

--- Rotates, moves, scales and shears the picture about its centre.
-- @tparam number|{number,number} degrees as for `randomRotation`
-- @tparam[opt] table options `translate`: maximum fractions of width and height; `scale`: two factors; `shear`: degrees, one
-- number, two (of x), or four (from and to of x and y); `mode`, `fill`, `generator` and `seed` as for `randomRotation`
-- @treturn function
function mapping.randomAffine(degrees, options)
  local where = 'augment.randomAffine'
  local generator
  options, generator = draw.options(where, options, { 'translate', 'scale', 'shear', 'mode', 'fill' })
  degrees = aroundZero(where, 'degrees', degrees)
  local moves, shear = translation(where, options.translate), shearing(where, options.shear)
  local scale = options.scale and draw.range(where, 'scale', options.scale, nil, 1e-6)
  local view = look(where, options)
  local function between(range, i) return range and draw.uniform(generator, range[i], range[i + 1]) end
  return function(picture)
    local x = source.picture(where, picture)
    local height, width = x:size(-2), x:size(-1)
    local angle, right, down = -between(degrees, 1), 0, 0
    if moves then
      right = draw.rounded(draw.uniform(generator, -moves[1], moves[1]) * width)
      down = draw.rounded(draw.uniform(generator, -moves[2], moves[2]) * height)
    end
    local factor, shearX, shearY = between(scale, 1) or 1, between(shear, 1) or 0, between(shear, 3) or 0
    return image.perspective(x, affineMap(height, width, angle, right, down, factor, shearX, shearY), view)
  end
end

--- Changes the perspective of the picture.
-- @number[opt=0.5] distortion from 0 to 1: maximum movement of corners inwards, as a fraction of half the sides
-- @number[opt=0.5] probability
-- @tparam[opt] table options `mode`, `fill`, `generator` and `seed` as for `randomRotation`
-- @treturn function
function mapping.randomPerspective(distortion, probability, options)
  local where = 'augment.randomPerspective'
  distortion = check.number(where, 'distortion', distortion or 0.5, { min = 0, max = 1 })
  probability = draw.probability(where, probability, 0.5)
  local generator
  options, generator = draw.options(where, options, { 'mode', 'fill' })
  local view = look(where, options)
  return function(picture)
    local x = source.picture(where, picture)
    local height, width = x:size(-2), x:size(-1)
    if not draw.happens(generator, probability) or height < 3 or width < 3 then return x end
    local right, bottom = width - 1, height - 1
    local function inwards(side) return draw.int(generator, 0, math.floor(distortion * (math.floor(side / 2) - 1))) end
    local corners = {
      { inwards(width), inwards(height) }, { right - inwards(width), inwards(height) },
      { right - inwards(width), bottom - inwards(height) }, { inwards(width), bottom - inwards(height) },
    }
    local map = image.homography(corners, { { 0, 0 }, { right, 0 }, { right, bottom }, { 0, bottom } })
    return image.perspective(x, map, view)
  end
end

return mapping
