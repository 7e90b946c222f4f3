--- Fields of positions, from which a warped picture takes its elements.
-- A field is 2 x height x width: rows, then columns, counted from 0. Positions are computed in float64; those that are whole, or halves, up
-- to its rounding are made so: a quarter of a turn would lose its edges.
-- @module image.positions
local torch = require 'torch'

local positions = {}

--- The elements' own places, relative to a point.
-- @int height
-- @int width
-- @number row the point
-- @number column
-- @treturn torch.DoubleTensor height x width, rows
-- @treturn torch.DoubleTensor height x width, columns
function positions.grid(height, width, row, column)
  local rows = torch.range(0, height - 1):double():add(-row):view(height, 1):expand(height, width)
  local columns = torch.range(0, width - 1):double():add(-column):view(1, width):expand(height, width)
  return rows, columns
end

local function snapped(x)
  local place = x:detach()
  local off = torch.csub(torch.mul(torch.round(torch.mul(place, 2)), 0.5), place)
  return torch.add(x, torch.cmul(off, torch.lt(torch.abs(off), 1e-9):double()))
end

--- A field of rows and columns.
-- @tparam torch.DoubleTensor rows height x width
-- @tparam torch.DoubleTensor columns
function positions.field(rows, columns)
  local height, width = rows:size(1), rows:size(2)
  return torch.cat(torch.reshape(snapped(rows), { 1, height, width }), torch.reshape(snapped(columns), { 1, height, width }), 1)
end

--- The places around a centre after a linear map.
-- @int height
-- @int width
-- @tparam torch.Tensor map 2 x 2, of (row, column); may be tracked
-- @tparam {number,number} moved rows and columns by which the picture moves afterwards
function positions.linear(height, width, map, moved)
  local row, column = (height - 1) / 2, (width - 1) / 2
  local rows, columns = positions.grid(height, width, row, column)
  local grid = torch.cat(torch.reshape(rows, { 1, height * width }), torch.reshape(columns, { 1, height * width }), 1)
  local at = torch.mm(map:double(), grid)
  local function part(i, offset) return torch.reshape(torch.add(at:narrow(1, i, 1), offset), { height, width }) end
  return positions.field(part(1, row - moved[1]), part(2, column - moved[2]))
end

return positions
