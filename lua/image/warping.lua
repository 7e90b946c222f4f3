--- Warped pictures: arbitrary fields, rotations, affine and perspective maps, polar coordinates.
-- @module image
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local arguments = require 'image.arguments'
local messages = require 'torch.check.message'
local positions = require 'image.positions'

local warping = {}

local modes = { 'bilinear', 'simple', 'bicubic', 'lanczos' }
local borders = { 'clamp', 'pad', 'zeros' }

local function filterOf(where, mode)
  mode = arguments.word(where, 'mode', mode, modes)
  return mode == 'simple' and 'nearest' or mode
end

--- Samples a picture at the positions in a field.
-- Both src and field may be tracked; a batch of pictures has one common field, or one for each.
-- @function warp
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @tparam torch.Tensor field 2 x height x width (rows, then columns), or n of them for n pictures
-- @string[opt='bilinear'] mode 'bilinear', 'simple' (the nearest element), 'bicubic' or 'lanczos'
-- @tparam[opt=true] boolean offset whether the field is relative to each element's position; otherwise it has positions in src, from 0
-- @string[opt='clamp'] clamp values outside of the picture: 'clamp', the nearest element; 'pad', padvalue for any position outside;
-- 'zeros', zeros that take part in the interpolation, as in PyTorch's grid_sample
-- @number[opt=0] padvalue
-- @treturn torch.Tensor a picture of the field's height and width
-- @usage image.warp(torch.rand(3, 8, 8), torch.ones(2, 8, 8))   -- moved by one row and one column, up and to the left
function warping.warp(...)
  local dst, src, field, mode, offset, clamp, padvalue = arguments.split(2, ...)
  arguments.filled('image.warp', src, 4)
  local dims = torch.isTensor(field) and field:dim() or 0
  if dims < 3 or dims > 4 or field:size(dims - 2) ~= 2 then
    check.raise(('image.warp: field: %s, expected a field (2 x height x width)'):format(messages.value(field)))
  end
  local filter = filterOf('image.warp', mode)
  clamp = arguments.word('image.warp', 'clamp', clamp, borders)
  padvalue = check.number('image.warp', 'padvalue', padvalue or 0)
  return arguments.give(dst, check.call(torch.warp, src, field, filter, offset ~= false, clamp, padvalue))
end

-- Rounds positions for nearest elements, so that positions within half an element of an edge are inside.
local function seen(src, field, filter, border, fill)
  if filter == 'nearest' then field = torch.floor(torch.add(field, 0.5)) end
  return torch.warp(src, field, filter, false, border, fill)
end

-- A sine or cosine without the rounding error of pi, so that a quarter turn maps elements to elements exactly.
local function exact(v)
  local whole = math.floor(v + 0.5)
  return math.abs(v - whole) < 1e-12 and whole or v
end

--- Rotates a picture about its centre, counter-clockwise; the uncovered area is 0.
-- @function rotate
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @number theta angle, rad
-- @string[opt='simple'] mode 'simple' (the nearest element), 'bilinear', 'bicubic' or 'lanczos'
-- @treturn torch.Tensor a picture of the size of src
function warping.rotate(...)
  local dst, src, theta, mode = arguments.split(1, ...)
  arguments.filled('image.rotate', src, 4)
  check.number('image.rotate', 'theta', theta)
  local filter = filterOf('image.rotate', mode or 'simple')
  local cos, sin = exact(math.cos(theta)), exact(math.sin(theta))
  local field = positions.linear(src, { { cos, sin }, { -sin, cos } }, { 0, 0 })
  return arguments.give(dst, seen(src, field, filter, 'pad', 0))
end

-- The two numbers in a list or tensor.
local function pair(where, name, value)
  if torch.isTensor(value) and value:nElement() == 2 then value = value:totable() end
  if type(value) ~= 'table' or type(value[1]) ~= 'number' or type(value[2]) ~= 'number' then
    check.raise(('%s: %s: %s, expected two numbers'):format(where, name, messages.value(value)))
  end
  return value
end

--- Transforms a picture about its centre by a matrix, then moves it.
-- The element at p is read at matrix * (p - centre) + centre - translation. The matrix may be tracked.
-- @function affinetransform
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @tparam torch.Tensor matrix 2 x 2, of (row, column)
-- @string[opt='bilinear'] mode as for `image.warp`
-- @tparam[opt] {number,number} translation rows and columns
-- @string[opt='clamp'] clamp as for `image.warp`
-- @number[opt=0] padvalue
-- @treturn torch.Tensor a picture of the size of src
function warping.affinetransform(...)
  local where = 'image.affinetransform'
  local dst, src, matrix, mode, translation, clamp, padvalue = arguments.split(2, ...)
  arguments.filled(where, src, 4)
  if not torch.isTensor(matrix) or matrix:dim() ~= 2 or matrix:size(1) ~= 2 or matrix:size(2) ~= 2 then
    check.raise(('%s: matrix: %s, expected a matrix of 2 x 2'):format(where, messages.value(matrix)))
  end
  local filter = filterOf(where, mode)
  clamp = arguments.word(where, 'clamp', clamp, borders)
  local moved = pair(where, 'translation', translation or { 0, 0 })
  local field = C.tracked(matrix) and positions.tracked(src, matrix, moved) or positions.linear(src, matrix:totable(), moved)
  return arguments.give(dst, seen(src, field, filter, clamp, check.number(where, 'padvalue', padvalue or 0)))
end

-- Four points, no three of them on a line.
local function fourPoints(where, name, points)
  if type(points) ~= 'table' or #points ~= 4 then
    check.raise(('%s: %s: %s, expected four points { x, y }'):format(where, name, messages.value(points)))
  end
  local list = {}
  for i = 1, 4 do list[i] = pair(where, name, points[i]) end
  for i = 1, 4 do
    local a, b, c = list[i], list[i % 4 + 1], list[(i + 1) % 4 + 1]
    local ux, uy, vx, vy = b[1] - a[1], b[2] - a[2], c[1] - a[1], c[2] - a[2]
    if math.abs(ux * vy - uy * vx) <= 1e-12 * math.sqrt((ux * ux + uy * uy) * (vx * vx + vy * vy)) then
      check.raise(('%s: %s: three points on a line, expected four corners'):format(where, name))
    end
  end
  return list
end

--- The projective map that maps four points to four others.
-- @tparam {{number,number},...} from four points (x, y), no three on a line
-- @tparam {{number,number},...} to their images, no three on a line either
-- @treturn torch.DoubleTensor 3 x 3: maps (x, y, 1) to (u, v, w), which is the point (u / w, v / w)
-- @raise if three points are on a line
function warping.homography(from, to)
  from, to = fourPoints('image.homography', 'from', from), fourPoints('image.homography', 'to', to)
  local equations, values = torch.zeros(8, 8):double(), torch.zeros(8, 1):double()
  for i = 1, 4 do
    local x, y, u, v = from[i][1], from[i][2], to[i][1], to[i][2]
    equations[2 * i - 1]:copy(torch.DoubleTensor { x, y, 1, 0, 0, 0, -u * x, -u * y })
    equations[2 * i]:copy(torch.DoubleTensor { 0, 0, 0, x, y, 1, -v * x, -v * y })
    values[2 * i - 1], values[2 * i] = u, v
  end
  local solution = torch.gesv(values, equations)
  return torch.cat(torch.reshape(solution, { 8 }), torch.DoubleTensor { 1 }, 1):view(3, 3)
end

--- Transforms a picture by a perspective map.
-- @function perspective
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @tparam torch.Tensor|{{number,number},...} map 3 x 3, from positions (x, y, 1) of the result to those in the picture; or the four
-- points (x, y) of the picture that become the corners of the result: top left, top right, bottom right, bottom left
-- @tparam[opt] table options `width` and `height` of the result (the picture's), `mode` ('bilinear'), `clamp` ('pad'), `padvalue` (0)
-- @treturn torch.Tensor
-- @raise if three points are on a line
function warping.perspective(...)
  local where = 'image.perspective'
  local _, second, third = ...
  local hasDestination = torch.isTensor(second) and (torch.isTensor(third) or type(third) == 'table' and third[1] ~= nil)
  local dst, src, map, options = nil, ...
  if hasDestination then dst, src, map, options = ... end
  arguments.filled(where, src, 4)
  options = check.options(where, options, { 'width', 'height', 'mode', 'clamp', 'padvalue' })
  local width = check.whole(where, 'width', options.width or src:size(-1), { min = 1 })
  local height = check.whole(where, 'height', options.height or src:size(-2), { min = 1 })
  if type(map) == 'table' then
    local right, bottom = width - 1, height - 1
    map = warping.homography({ { 0, 0 }, { right, 0 }, { right, bottom }, { 0, bottom } }, fourPoints(where, 'map', map))
  end
  if not torch.isTensor(map) or map:dim() ~= 2 or map:size(1) ~= 3 or map:size(2) ~= 3 then
    check.raise(('%s: map: %s, expected a matrix of 3 x 3, or four points'):format(where, messages.value(map)))
  end
  local border = arguments.word(where, 'clamp', options.clamp or 'pad', borders)
  local filter = filterOf(where, options.mode)
  return arguments.give(dst, seen(src, positions.projective(src, map, height, width), filter, border, options.padvalue or 0))
end

-- radius: a function of the columns, their number and the largest radius
local function unrolled(where, radius, ...)
  local dst, src, interpolation, mode = arguments.split(1, ...)
  arguments.filled(where, src, 4)
  local filter = filterOf(where, interpolation or 'simple')
  mode = arguments.word(where, 'mode', mode, { 'valid', 'full' })
  local height, width = src:size(-2), src:size(-1)
  if dst and dst:dim() >= 2 and dst:nElement() > 0 then height, width = dst:size(-2), dst:size(-1) end
  local most = mode == 'full' and math.sqrt(src:size(-2) ^ 2 + src:size(-1) ^ 2) / 2 or math.min(src:size(-2), src:size(-1)) / 2
  local field = positions.polar(src, height, radius(torch.range(0, width - 1):double(), width, most))
  return arguments.give(dst, seen(src, field, filter, 'pad', 0))
end

--- A picture in polar coordinates about its centre: rows are angles, once around, columns distances.
-- @function polar
-- @tparam[opt] torch.Tensor dst has the size of the result; default: the size of src
-- @tparam torch.Tensor src
-- @string[opt='simple'] interpolation 'simple' (the nearest element), 'bilinear', 'bicubic' or 'lanczos'
-- @string[opt='valid'] mode 'valid': distances up to the nearest edge; 'full': up to the corners; elements beyond the edges are 0
-- @treturn torch.Tensor
function warping.polar(...)
  return unrolled('image.polar', function(x, count, most) return torch.mul(x, most / count) end, ...)
end

--- A picture in log-polar coordinates about its centre: like `image.polar`, but columns are logarithms of distances, from 1 on.
-- @function logpolar
-- @tparam[opt] torch.Tensor dst has the size of the result; default: the size of src
-- @tparam torch.Tensor src
-- @string[opt='simple'] interpolation as for `image.polar`
-- @string[opt='valid'] mode as for `image.polar`
-- @treturn torch.Tensor
function warping.logpolar(...)
  return unrolled('image.logpolar', function(x, count, most) return torch.exp(torch.mul(x, math.log(most) / count)) end, ...)
end

return warping
