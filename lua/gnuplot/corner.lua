--- The corner in which a legend hides the fewest points of curves.
-- @module gnuplot.corner
local torch = require 'torch'

local corners = { { 'right top', 1, 1 }, { 'left top', 0, 1 }, { 'right bottom', 1, 0 }, { 'left bottom', 0, 0 } }
local width, line = 0.4, 0.06      -- of a legend, as fractions of the figure

-- x and y of the points that are not NaN, scaled to 0..1 along both axes; nothing if the figure has no area.
local function points(lists)
  local xs, ys = {}, {}
  for i, columns in ipairs(lists) do xs[i], ys[i] = columns[1], columns[2] end
  local x, y = torch.cat(xs, 1), torch.cat(ys, 1)
  local isThere = torch.cmul(torch.eq(x - x, 0), torch.eq(y - y, 0))
  if isThere:sum() == 0 then return nil end
  x, y = x[isThere], y[isThere]
  local across, up = x:max() - x:min(), y:max() - y:min()
  if not (across > 0 and up > 0) then return nil end
  return (x - x:min()) / across, (y - y:min()) / up
end

--- The corner with the fewest points under the legend; the first of several.
-- @tparam {{x,y},...} lists columns of the curves
-- @int count number of the legend's lines
-- @treturn string 'right top', 'left top', 'right bottom' or 'left bottom'
return function(lists, count)
  local x, y = points(lists)
  local best, fewest = corners[1][1], math.huge
  if not x then return best end
  local height = math.min(line * (count + 1), 0.5)
  for _, corner in ipairs(corners) do
    local hidden = torch.cmul(torch.le(torch.abs(x - corner[2]), width), torch.le(torch.abs(y - corner[3]), height)):sum()
    if hidden < fewest then best, fewest = corner[1], hidden end
  end
  return best
end
