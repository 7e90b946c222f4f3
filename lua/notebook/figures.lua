--- Figures of the package plot in a notebook: a cell's figure is shown at its end, and the next cell begins a new one.
-- @module notebook.figures
local frontend = require 'notebook.frontend'
local mime = require 'notebook.mime'
local modules = require 'torch.modules'

local figures = {}

local shown = setmetatable({}, { __mode = 'k' })

--- Records that a cell has shown a value, so that its figure is not shown again at the cell's end.
-- @param value a figure, axes of a figure, or anything else
function figures.wasShown(value)
  local plot = modules.loaded 'plot'
  local torch = package.loaded.torch
  local class = plot and torch.typename(value)
  if class == 'plot.Figure' then shown[value] = true end
  if class == 'plot.Axes' and value.figure then shown[value.figure] = true end
end

--- Shows the current figure if it is not empty and the cell has not shown it, and closes it.
function figures.showCurrent()
  local plot = modules.loaded 'plot'
  local figure = type(plot) == 'table' and plot.close()
  if not figure or shown[figure] or #figure.cells == 0 then return end
  frontend.show('display', mime.bundle(figure))
end

return figures
