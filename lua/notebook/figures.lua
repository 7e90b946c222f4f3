--- Figures of the package plot in a notebook: the one that a cell has drawn is shown at its end, and the next cell begins another.
-- @module notebook.figures
local frontend = require 'notebook.frontend'
local mime = require 'notebook.mime'
local modules = require 'torch.modules'

local figures = {}

local shown = setmetatable({}, { __mode = 'k' })

--- Remembers that a cell has shown a value: its figure is not shown again at the cell's end.
-- @param value a figure, axes of one, or anything else
function figures.wasShown(value)
  local plot = modules.loaded 'plot'
  local torch = package.loaded.torch
  local class = plot and torch.typename(value)
  if class == 'plot.Figure' then shown[value] = true end
  if class == 'plot.Axes' and value.figure then shown[value.figure] = true end
end

--- Shows the current figure, where something was drawn in it and the cell has not shown it; it is the current one no longer.
function figures.showCurrent()
  local plot = modules.loaded 'plot'
  local figure = type(plot) == 'table' and plot.close()
  if not figure or shown[figure] or #figure.cells == 0 then return end
  frontend.show('display', mime.bundle(figure))
end

return figures
