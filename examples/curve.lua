--- Draws the curves of a training run, one panel per quantity, and updates the picture after each new point.
-- @module curve
local torch, plot = require 'torch', require 'plot'

local Curve = {}
Curve.__index = Curve

--- Adds a point to each quantity, and writes the picture.
-- @tparam number x position, such as an epoch or a step
-- @tparam {number,...} values of the quantities, in their order
function Curve:add(x, values)
  local points = self.points
  points[#points + 1] = { x, unpack(values) }
  if self.name ~= '' then self:draw() end
end

--- Writes the picture: SVG, or PNG if the name ends in .png.
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
-- @string along label of the axis of x
-- @tparam {string,...} quantities
-- @tparam[opt] table points the field `points` of an earlier run's curve, which this one continues
return function(name, along, quantities, points)
  return setmetatable({ name = name, along = along, quantities = quantities, points = points or {} }, Curve)
end
