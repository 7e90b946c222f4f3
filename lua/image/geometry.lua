--- Crops, translations and reflections of pictures, which move elements without interpolation.
-- @module image
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'image.arguments'
local messages = require 'torch.check.message'

local geometry = {}

local corners = { c = true, tl = true, tr = true, bl = true, br = true }

-- The corner of a crop with a size, by the name of its position.
local function cornerAt(format, src, width, height)
  local right, bottom = src:size(-1) - width, src:size(-2) - height
  if format == 'c' then return math.floor(right / 2), math.floor(bottom / 2) end
  return format:sub(2) == 'r' and right or 0, format:sub(1, 1) == 'b' and bottom or 0
end

local function cropped(src, x1, y1, x2, y2)
  local width, height = src:size(-1), src:size(-2)
  if x1 < 0 or y1 < 0 or x2 > width or y2 > height or x2 <= x1 or y2 <= y1 then
    check.raise(('image.crop: corners: (%d, %d) and (%d, %d), expected a part of a picture of %d x %d (width x height)'):format(x1, y1, x2,
      y2, width, height))
  end
  return src:narrow(src:dim(), x1 + 1, x2 - x1):narrow(src:dim() - 1, y1 + 1, y2 - y1)
end

--- Copies a part of a picture.
-- Forms: `crop(src, x1, y1, x2, y2)`, from column x1 to x2 - 1 and from row y1 to y2 - 1, counted from 0; `crop(dst, src, x1, y1)`, with
-- the size of dst; `crop(src, format, width, height)` with a position as format: 'c' (the centre), 'tl', 'tr', 'bl' or 'br' (the
-- top left corner and so on).
-- @function crop
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @tparam int|string x1 or the format
-- @int y1 or the width
-- @tparam[opt] int x2 or the height
-- @int[opt] y2
-- @treturn torch.Tensor a copy
-- @raise if the part extends beyond the picture
-- @usage image.crop(torch.rand(3, 60, 80), 'c', 20, 10):size()   --> 3, 10, 20
function geometry.crop(...)
  local dst, src, x1, y1, x2, y2 = arguments.split(1, ...)
  arguments.picture('image.crop', src, 4)
  local function corner(name, value) return math.floor(check.number('image.crop', name, value)) end
  if type(x1) == 'string' then
    check.that(corners[x1], 'image.crop: crop format must be "c"|"tl"|"tr"|"bl"|"br"')
    local width, height = corner('width', y1), corner('height', x2)
    x1, y1 = cornerAt(x1, src, width, height)
    x2, y2 = x1 + width, y1 + height
  else
    x1, y1 = corner('x1', x1), corner('y1', y1)
    if dst and x2 == nil and dst:dim() >= 2 then x2, y2 = x1 + dst:size(-1), y1 + dst:size(-2) end
    x2, y2 = corner('x2', x2), corner('y2', y2)
  end
  local part = cropped(src, x1, y1, x2, y2)
  return dst and arguments.give(dst, part) or part:clone()
end

--- Moves a picture to the right and down; the uncovered area is 0.
-- @function translate
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @int dx columns, negative ones to the left
-- @int dy rows, negative ones up
-- @treturn torch.Tensor a picture of the size of src
function geometry.translate(...)
  local dst, src, dx, dy = arguments.split(1, ...)
  arguments.picture('image.translate', src, 4)
  dx, dy = math.floor(check.number('image.translate', 'dx', dx)), math.floor(check.number('image.translate', 'dy', dy))
  local result = torch.zeros(src:size()):type(src:type())
  local wide, high = src:size(-1) - math.abs(dx), src:size(-2) - math.abs(dy)
  if wide > 0 and high > 0 then
    local function part(x, right, down) return x:narrow(x:dim(), right + 1, wide):narrow(x:dim() - 1, down + 1, high) end
    part(result, math.max(dx, 0), math.max(dy, 0)):copy(part(src, math.max(-dx, 0), math.max(-dy, 0)))
  end
  return arguments.give(dst, result)
end

local function mirrored(where, dim, ...)
  local dst, src = arguments.split(1, ...)
  arguments.picture(where, src, 4)
  return arguments.give(dst, torch.flip(src, { dim }))
end

--- Mirrors a picture: left becomes right.
-- @function hflip
-- @tparam[opt] torch.Tensor dst may be src
-- @tparam torch.Tensor src
-- @treturn torch.Tensor
function geometry.hflip(...) return mirrored('image.hflip', -1, ...) end

--- Mirrors a picture: top becomes bottom.
-- @function vflip
-- @tparam[opt] torch.Tensor dst may be src
-- @tparam torch.Tensor src
-- @treturn torch.Tensor
function geometry.vflip(...) return mirrored('image.vflip', -2, ...) end

--- Reverses a tensor along a dimension.
-- @function flip
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src any dimensions
-- @int dim
-- @treturn torch.Tensor
function geometry.flip(...)
  local dst, src, dim = arguments.split(1, ...)
  if not torch.isTensor(src) then check.raise(('image.flip: src: %s, expected a tensor'):format(messages.value(src))) end
  dim = check.whole('image.flip', 'dim', dim, { min = 1, max = src:dim() })
  return arguments.give(dst, torch.flip(src, { dim }))
end

return geometry
