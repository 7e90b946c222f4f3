--- The curves of a training run as a picture, drawn anew whenever a point comes: a panel a quantity.
-- @module curve
local torch, plot = require 'torch', require 'plot'

local Curve = {}
Curve.__index = Curve

--- Adds a point to each quantity, and writes the picture.
-- @tparam number x where: an epoch, a step
-- @tparam {number,...} values a value of each quantity, in their order
function Curve:add(x, values)
  local points = self.points
  points[#points + 1] = { x, unpack(values) }
  if self.name ~= '' then self:draw() end
end

--- Writes the picture: SVG, or PNG where the name ends so.
function Curve:draw()
  local points, columns = self.points, torch.Tensor(self.points):t()
  local figure = plot.figure { width = 400 * #self.quantities, height = 300 }
  for i, quantity in ipairs(self.quantities) do
    local axes = figure:subplot(1, #self.quantities, i)
    axes:plot(columns[1], columns[i + 1], #points < 30 and 'o-' or '-')
    axes:title(quantity):xlabel(self.along):grid()
  end
  figure:save(self.name)
  plot.close(figure)
end

--- Begins a run's curves.
-- @string name of the picture's file; '' draws none
-- @string along what the points are numbered by
-- @tparam {string,...} quantities
-- @tparam[opt] table points the field `points` of a run's curve that this one goes on
return function(name, along, quantities, points)
  return setmetatable({ name = name, along = along, quantities = quantities, points = points or {} }, Curve)
end
