--- Fields of source positions for warping: 2 x height x width, rows, then columns, counted from 0.
-- @module image.positions
local torch = require 'torch'
local onDeviceOf = require 'autograd.on_device_of'

local positions = {}

-- a * row + b * column + c for each element.
local function plane(result, height, width, a, b, c)
  local down, across = torch.range(0, height - 1):double():mul(a):add(c), torch.range(0, width - 1):double():mul(b)
  local function spread(x, rows, columns) return x:type(result:type()):view(rows, columns):expand(height, width) end
  return torch.add(result, spread(down, height, 1), spread(across, 1, width))
end

-- The type whose precision suffices for a picture's positions: float64 if its elements are float64, or integers that float32 lacks.
local function typeFor(src)
  local kind = src:elementSize()
  return kind == 8 and 'torch.DoubleTensor' or 'torch.FloatTensor'
end

--- Positions around a picture's centre after a linear map.
-- @tparam torch.Tensor src
-- @tparam {{number,number},{number,number}} map of (row, column)
-- @tparam {number,number} moved rows and columns by which the picture moves afterwards
-- @treturn torch.Tensor a field
function positions.linear(src, map, moved)
  local height, width = src:size(-2), src:size(-1)
  local centre = { (height - 1) / 2, (width - 1) / 2 }
  local field = torch.Tensor():type(typeFor(src)):resize(2, height, width)
  for i = 1, 2 do
    local a, b = map[i][1], map[i][2]
    plane(field[i], height, width, a, b, centre[i] - moved[i] - a * centre[1] - b * centre[2])
  end
  return onDeviceOf(field, src)
end

--- Like `linear`, for a matrix that may be tracked.
-- @tparam torch.Tensor src
-- @tparam torch.Tensor matrix 2 x 2
-- @tparam {number,number} moved
function positions.tracked(src, matrix, moved)
  local height, width = src:size(-2), src:size(-1)
  local row, column = (height - 1) / 2, (width - 1) / 2
  local places = torch.DoubleTensor(2, height, width)
  plane(places[1], height, width, 1, 0, -row)
  plane(places[2], height, width, 0, 1, -column)
  local centre = torch.DoubleTensor { row - moved[1], column - moved[2] }:view(2, 1):expand(2, height * width)
  local at = torch.mm(matrix, onDeviceOf(places:view(2, height * width):type(matrix:type()), matrix))
  return torch.reshape(torch.add(at, onDeviceOf(centre:type(matrix:type()), matrix)), { 2, height, width })
end

--- Positions in a picture to which a projective map sends (x, y, 1).
-- @tparam torch.Tensor src
-- @tparam torch.Tensor map 3 x 3
-- @int height of the field
-- @int width
-- @treturn torch.Tensor a field
function positions.projective(src, map, height, width)
  local rows = map:detach():totable()
  local function sum(i)
    return plane(torch.Tensor():type(typeFor(src)):resize(height, width), height, width, rows[i][2], rows[i][1], rows[i][3])
  end
  local field, scale = torch.Tensor():type(typeFor(src)):resize(2, height, width), sum(3)
  torch.cdiv(field[1], sum(2), scale)
  torch.cdiv(field[2], sum(1), scale)
  return onDeviceOf(field, src)
end

--- Positions in a picture of polar coordinates about its centre: rows are angles, columns distances.
-- @tparam torch.Tensor src
-- @int height of the field
-- @tparam torch.DoubleTensor radii by column
-- @treturn torch.Tensor a field
function positions.polar(src, height, radii)
  local width = radii:size(1)
  local angles = torch.range(0, height - 1):double():mul(2 * math.pi / height)
  local rows = torch.ger(torch.sin(angles), radii):add((src:size(-2) - 1) / 2)
  local columns = torch.ger(torch.cos(angles), radii):add((src:size(-1) - 1) / 2)
  return onDeviceOf(torch.cat(rows:view(1, height, width), columns:view(1, height, width), 1), src)
end

return positions
