--- Methods of axes for two-dimensional fields: filled contours, meshes of cells, two-dimensional histograms, arrows.
-- @module plot.fields
local torch = require 'torch'
local check = require 'torch.check'
local artists, shadesOf = require 'plot.field_artists', require('plot.artists').shades
local colors, values = require 'plot.colors', require 'plot.values'
local style = require 'plot.style'

local fields = {}

local function isOptions(value) return type(value) == 'table' and not torch.typename(value) and #value == 0 end

-- Splits arguments into those before the final table of options, and the options.
local function arguments(where, names, ...)
  local list, options = { ... }, nil
  if #list > 1 and isOptions(list[#list]) then options = table.remove(list) end
  return list, check.options(where, options, names)
end

-- Finite numbers only.
local function finite(x) return x == x and math.abs(x) < math.huge end

local function rangeOf(matrix, options)
  local low, high = values.range(matrix:view(-1):totable(), finite)
  return options.vmin or low or 0, options.vmax or high or 1
end

local function setColorbar(self, where, options, low, high)
  if options.colorbar then self.colorbar = { map = colors.map(where, options.cmap or 'viridis'), low = low, high = high } end
end

-- Levels of filled contours: round numbers that enclose all values.
local function levelsOf(z, given)
  if given ~= nil and type(given) ~= 'number' then
    local list = values.list('contourf', 'levels', given)
    check.that(#list >= 2, 'contourf: levels: expected two or more')
    for i = 2, #list do check.that(list[i] > list[i - 1], 'contourf: levels: expected rising numbers') end
    return list
  end
  local low, high = values.range(z:view(-1):totable(), finite)
  low, high = low or 0, high or 1
  if high <= low then high = low + 1 end
  local list, step = require('plot.ticks').linear(low, high, check.int('contourf', 'levels', given or 7, { min = 1, max = 1000 }))
  if not list[1] or list[1] > low then table.insert(list, 1, (list[1] or math.ceil(low / step) * step) - step) end
  if list[#list] < high then list[#list + 1] = list[#list] + step end
  return list
end

--- Filled contours: areas between levels of a matrix, each in one colour.
-- @tparam torch.Tensor z a matrix; or three arguments x, y, z, first the positions of its columns and rows. Cells at a NaN stay empty
-- @param ... the matrix after the positions, and options: `levels` (7; a number up to 1000, or an ascending list), `cmap` ('viridis'),
-- `colors` (one for each area), `alpha`, `colorbar` (false)
-- @treturn plot.Axes itself
function fields:contourf(...)
  local list, options = arguments('contourf', { 'levels', 'cmap', 'colors', 'alpha', 'colorbar' }, ...)
  local z = values.matrix('contourf', 'z', list[#list])
  local isFull = #list == 3
  local xs = values.positions('contourf', 'x', isFull and list[1] or nil, z:size(2))
  local ys = values.positions('contourf', 'y', isFull and list[2] or nil, z:size(1))
  local levels = levelsOf(z, options.levels)
  local middles, shades = {}, {}
  for i = 1, #levels - 1 do middles[i] = (levels[i] + levels[i + 1]) / 2 end
  if options.colors then
    check.table('contourf', 'colors', options.colors)
    check.that(#options.colors >= 1, 'contourf: colors: expected one or more')
    for i = 1, #middles do shades[i] = colors.of('contourf', options.colors[(i - 1) % #options.colors + 1]) end
  else
    shades = shadesOf('contourf', middles, options.cmap or 'viridis', levels[1], levels[#levels])
    setColorbar(self, 'contourf', options, levels[1], levels[#levels])
  end
  return style.add(self, artists.filledContours(xs, ys, z, levels, shades, style.alpha('contourf', options)))
end

-- Edges of cells: as given, or halfway between given middles.
local function edgesOf(where, name, given, count)
  if given == nil then
    local list = {}
    for i = 1, count + 1 do list[i] = i - 0.5 end
    return list
  end
  local list = values.list(where, name, given)
  if #list == count + 1 then return list end
  check.that(#list == count, ('%s: %s: %d numbers, expected %d edges or %d middles'):format(where, name, #list, count + 1, count))
  local edges = {}
  for i = 2, count do edges[i] = (list[i - 1] + list[i]) / 2 end
  local first, last = count > 1 and list[2] - list[1] or 1, count > 1 and list[count] - list[count - 1] or 1
  edges[1], edges[count + 1] = list[1] - first / 2, list[count] + last / 2
  return edges
end

local meshOptions = { 'cmap', 'vmin', 'vmax', 'alpha', 'edgecolor', 'colorbar' }

local function mesh(self, where, xs, ys, matrix, options)
  local low, high = rangeOf(matrix, options)
  local shades = shadesOf(where, matrix:view(-1):totable(), options.cmap or 'viridis', low, high)
  setColorbar(self, where, options, low, high)
  return style.add(self, artists.mesh(xs, ys, matrix, shades, {
    alpha = style.alpha(where, options), edge = options.edgecolor and colors.of(where, options.edgecolor),
  }))
end

--- Cells coloured by a matrix, with the first row at the bottom. NaN cells stay empty.
-- @tparam torch.Tensor c a matrix; or three arguments x, y, c, first the edges of its columns and rows (one more each), or their middles
-- @param ... the matrix after the edges, and options: `cmap` ('viridis'), `vmin`, `vmax`, `alpha`, `edgecolor`, `colorbar` (false)
-- @treturn plot.Axes itself
function fields:pcolormesh(...)
  local list, options = arguments('pcolormesh', meshOptions, ...)
  local matrix = values.matrix('pcolormesh', 'c', list[#list])
  local isFull = #list == 3
  local xs = edgesOf('pcolormesh', 'x', isFull and list[1] or nil, matrix:size(2))
  local ys = edgesOf('pcolormesh', 'y', isFull and list[2] or nil, matrix:size(1))
  return mesh(self, 'pcolormesh', xs, ys, matrix, options)
end

--- A two-dimensional histogram: counts of points in cells.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y
-- @tparam[opt] table options `bins` (10; a number for both, {nx, ny}, or {edges of x, edges of y}), `range` ({{xlow, xhigh}, {ylow,
-- yhigh}}), `density` (the volume is 1), `cmin` (cells with fewer points stay empty), and those of `pcolormesh`
-- @treturn plot.Axes itself
-- @treturn torch.DoubleTensor counts, a row for each bin of x
-- @treturn {number,...} edges of x
-- @treturn {number,...} edges of y
function fields:hist2d(x, y, options)
  options = check.options('hist2d', options, { 'bins', 'range', 'density', 'cmin', unpack(meshOptions) })
  local xs = values.list('hist2d', 'x', x)
  local ys = values.list('hist2d', 'y', y, #xs)
  local histogram = require 'plot.histogram'
  local bins, ranges = options.bins or 10, options.range or {}
  local isEach = type(bins) == 'table' and #bins == 2
  local xbins, ybins = isEach and bins[1] or bins, isEach and bins[2] or bins
  local xedges = histogram.edges('hist2d', xs, { bins = xbins, range = ranges[1] })
  local yedges = histogram.edges('hist2d', ys, { bins = ybins, range = ranges[2] })
  local counts, total = torch.DoubleTensor(#xedges - 1, #yedges - 1):zero(), 0
  for k = 1, #xs do
    local i, j = histogram.binOf(xs[k], xedges), histogram.binOf(ys[k], yedges)
    if i and j then
      counts[i][j] = counts[i][j] + 1
      total = total + 1
    end
  end
  if options.density and total > 0 then
    for i = 1, #xedges - 1 do
      for j = 1, #yedges - 1 do
        counts[i][j] = counts[i][j] / total / (xedges[i + 1] - xedges[i]) / (yedges[j + 1] - yedges[j])
      end
    end
  end
  local shown = counts:t():clone()
  if options.cmin then
    check.number('hist2d', 'cmin', options.cmin)
    shown[shown:lt(options.cmin)] = 0 / 0
  end
  mesh(self, 'hist2d', xedges, yedges, shown, options)
  return self, counts, xedges, yedges
end

-- Positions of arrows: one for each, or those of a matrix's columns and rows.
local function arrowPositions(x, y, u)
  local isMatrix = torch.isTensor(u) and u:dim() == 2
  local rows, columns = isMatrix and u:size(1), isMatrix and u:size(2)
  local function sizeOf(value) return torch.isTensor(value) and value:nElement() or type(value) == 'table' and #value end
  if isMatrix and (x == nil or sizeOf(x) == columns and sizeOf(y) == rows) then
    local across, up = values.positions('quiver', 'x', x, columns), values.positions('quiver', 'y', y, rows)
    local xs, ys = {}, {}
    for i = 1, rows do
      for j = 1, columns do xs[#xs + 1], ys[#ys + 1] = across[j], up[i] end
    end
    return xs, ys
  end
  local count = isMatrix and rows * columns or sizeOf(u) or nil
  return values.positions('quiver', 'x', x, count), values.positions('quiver', 'y', y, count)
end

--- Arrows. Their lengths are fractions of the axes' width, |(u, v)| / scale; without a scale a mean arrow is about as long as the distance
-- between arrows. Directions are those on the page, independent of the axes' scales.
-- @tparam torch.Tensor x positions, one for each arrow, or of the columns of u
-- @tparam torch.Tensor y positions, one for each arrow, or of the rows of u
-- @tparam torch.Tensor u components to the right; without positions, u and v are at 1, 2, ...
-- @tparam torch.Tensor v components up
-- @tparam[opt] table options `scale`, `color` ('black'), `c` (numbers to map by `cmap`), `cmap` ('viridis'), `width` (of the shafts, in
-- pixels), `pivot` ('tail', 'middle' or 'tip' at the position), `alpha`
-- @treturn plot.Axes itself
function fields:quiver(...)
  local list, options = arguments('quiver', { 'scale', 'color', 'c', 'cmap', 'width', 'pivot', 'alpha' }, ...)
  local isFull = #list == 4
  check.that(isFull or #list == 2, ('quiver: arguments: %d, expected x, y, u, v, or u, v, and options'):format(#list))
  local u, v = list[isFull and 3 or 1], list[isFull and 4 or 2]
  local xs, ys = arrowPositions(isFull and list[1] or nil, isFull and list[2] or nil, u)
  local us, vs = values.list('quiver', 'u', u, #xs), values.list('quiver', 'v', v, #xs)
  local shades
  if options.c ~= nil then
    shades = shadesOf('quiver', values.list('quiver', 'c', options.c, #xs), options.cmap or 'viridis')
  else
    local color = colors.of('quiver', options.color or 'black')
    shades = setmetatable({}, { __index = function() return color end })
  end
  local pivot = options.pivot or 'tail'
  local shift = ({ tail = 0, middle = -0.5, mid = -0.5, tip = -1 })[pivot]
  check.that(shift, ("quiver: pivot: %s, expected 'tail', 'middle' or 'tip'"):format(tostring(pivot)))
  return style.add(self, artists.arrows(xs, ys, us, vs, {
    colors = shades, alpha = style.alpha('quiver', options), shift = shift,
    scale = options.scale and check.number('quiver', 'scale', options.scale, { min = 1e-300 }),
    width = options.width and check.number('quiver', 'width', options.width, { min = 0 }),
  }))
end

return fields
