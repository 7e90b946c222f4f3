--- Plots, as SVG from Lua and as PNG through cairo: lines, points, bars, histograms, pictures, contours, error bars, with matplotlib's
-- names.
-- The package's functions draw in the current axes of the current figure, like pyplot's; `plot.figure()` returns a separate figure.
-- @module plot
-- @usage local plot = require 'plot'
-- plot.plot(x, torch.sin(x), { label = 'sin' })
-- plot.legend()
-- plot.save 'sine.svg'
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
local Axes, Figure = require 'plot.axes', require 'plot.figure'

local plot = { Axes = Axes, Figure = Figure }

local current, axes      -- the current figure, and its current axes

--- Creates a figure and makes it the current one.
-- @tparam[opt] table options `width` (640) and `height` (480) in pixels, `title` above all axes
-- @treturn plot.Figure
function plot.figure(options)
  current, axes = Figure(options), nil
  return current
end

--- The current figure.
-- @treturn plot.Figure
function plot.gcf() return current or plot.figure() end

--- The current axes.
-- @treturn plot.Axes
function plot.gca()
  local figure = plot.gcf()
  axes = axes or figure:subplot()
  return axes
end

--- Makes the axes at a position in a grid the current ones.
-- @int[opt=1] rows
-- @int[opt=1] columns
-- @int[opt=1] i counted along rows, from the upper left
-- @treturn plot.Axes
function plot.subplot(rows, columns, i)
  axes = plot.gcf():subplot(rows, columns, i)
  return axes
end

--- Closes the current figure.
-- @treturn ?plot.Figure the closed figure
function plot.close()
  local former = current
  current, axes = nil, nil
  return former
end

--- Writes the current figure.
-- @string name ends in .svg or .png
-- @tparam[opt] table options `zoom` (2): PNG pixels per pixel of the figure
-- @treturn plot.Figure
function plot.save(name, options) return plot.gcf():save(name, options) end

--- The current figure as the text of an SVG file.
-- @treturn string
function plot.svg() return plot.gcf():svg() end

-- The methods of axes, on the current ones. (help finds their comments through the upvalue `f`.)
for name, f in pairs(Axes) do
  if type(f) == 'function' and not name:find '^_' and name ~= 'new' then
    plot[name] = plot[name] or function(...) return f(plot.gca(), ...) end
  end
end

return plot
