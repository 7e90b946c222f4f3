--- A plot of display as an SVG file, through the package plot.
-- @module display.drawing
local torch, plot = require 'torch', require 'plot'

-- A cell is a number, or {value, deviation} with the option errorBars.
local function columnOf(rows, k)
  local values, spread = torch.DoubleTensor(#rows), torch.DoubleTensor(#rows):zero()
  for i, row in ipairs(rows) do
    local cell = row[k]
    if type(cell) == 'table' then cell, spread[i] = cell[1], cell[2] or 0 end
    values[i] = type(cell) == 'number' and cell or 0 / 0
  end
  return values, spread
end

--- Draws a plot's content.
-- @tparam table content with rows in `file`, and options
-- @string[opt] title
-- @string name of the file
return function(content, title, name)
  local rows, labels = content.file, content.labels or {}
  local figure = plot.Figure { width = content.width or 640, height = content.height or 400 }
  local axes = figure:subplot()
  local x, isNamed = columnOf(rows, 1), false
  for k = 2, #(rows[1] or {}) do
    local y, spread = columnOf(rows, k)
    local style = { label = labels[k] and tostring(labels[k]), color = content.colors and content.colors[k - 1] }
    isNamed = isNamed or labels[k] ~= nil
    if content.errorBars then style.yerr = spread * (content.sigma or 2) axes:errorbar(x, y, style) else axes:plot(x, y, style) end
  end
  if title then axes:title(tostring(title)) end
  if content.xlabel then axes:xlabel(tostring(content.xlabel)) end
  if content.ylabel then axes:ylabel(tostring(content.ylabel)) end
  if content.logscale then axes:yscale 'log' end
  if isNamed then axes:legend() end
  figure:save(name)
end
