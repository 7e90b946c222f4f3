--- A figure: axes on a grid, written as SVG or PNG.
-- @classmod plot.Figure
local torch, C = require 'torch', require 'libmoontorch'
local check = require 'torch.check'
local Axes, layout = require 'plot.axes', require 'plot.layout'

local Figure = torch.class('plot.Figure', {})

local smallest, largest = 50, 20000      -- pixels

--- @tparam[opt] table options `width` (640) and `height` (480) in pixels, `title` above all axes
function Figure:__init(options)
  options = check.options('plot.figure', options, { 'width', 'height', 'title' })
  self.width = check.number('plot.figure', 'width', options.width == nil and 640 or options.width, { min = smallest, max = largest })
  self.height = check.number('plot.figure', 'height', options.height == nil and 480 or options.height, { min = smallest, max = largest })
  self.title = options.title ~= nil and check.text('plot.figure', 'title', options.title) or nil
  self.cells = {}
end

--- The axes at a position in a grid, created on first use.
-- @int[opt=1] rows
-- @int[opt=1] columns
-- @int[opt=1] i counted along rows, from the upper left
-- @treturn plot.Axes
function Figure:subplot(rows, columns, i)
  rows = check.int('subplot', 'rows', rows == nil and 1 or rows, { min = 1, max = 100 })
  columns = check.int('subplot', 'columns', columns == nil and 1 or columns, { min = 1, max = 100 })
  i = check.int('subplot', 'i', i == nil and 1 or i, { min = 1, max = rows * columns })
  for _, cell in ipairs(self.cells) do
    if cell.rows == rows and cell.columns == columns and cell.i == i then return cell.axes end
  end
  local axes = Axes()
  axes.figure = self
  self.cells[#self.cells + 1] = { rows = rows, columns = columns, i = i, axes = axes }
  return axes
end

local function draw(self, canvas)
  canvas:rect(0, 0, self.width, self.height, { fill = '#ffffff' })
  local top = 0
  if self.title then
    canvas:text(self.width / 2, 22, self.title, { size = 15, anchor = 'middle' })
    top = 26
  end
  for _, cell in ipairs(self.cells) do
    local width, height = self.width / cell.columns, (self.height - top) / cell.rows
    local column, row = (cell.i - 1) % cell.columns, math.floor((cell.i - 1) / cell.columns)
    layout.draw(canvas, cell.axes, {
      left = column * width + 4, right = (column + 1) * width - 4, top = top + row * height + 4, bottom = top + (row + 1) * height - 4,
    })
  end
  return canvas
end

--- The figure as the text of an SVG file.
-- @treturn string
function Figure:svg()
  return draw(self, require('plot.svg').new(self.width, self.height)):finish()
end

-- The bytes of a PNG file; nil without libcairo.
local function png(self)
  local name = C.temporaryName '.png'
  local good = pcall(function() draw(self, require('plot.cairo').new(self.width, self.height, 2)):save(name) end)
  local file = good and io.open(name, 'rb')
  local bytes = file and file:read '*a'
  if file then file:close() end
  os.remove(name)
  return bytes or nil
end

local shown = 0

-- The representation in a notebook: SVG and also PNG, since frontends don't show SVG from untrusted notebooks. SVG drawings on one page
-- must not share names.
function Figure:__mime()
  shown = shown + 1
  local svg = self:svg():gsub('(["#])clip(%d+)', '%1clip' .. shown .. '-%2')
  local data = { ['image/svg+xml'] = svg, ['image/png'] = png(self), ['text/plain'] = 'plot.Figure' }
  return data, { ['image/png'] = { width = self.width, height = self.height } }
end

--- Writes the figure.
-- @string name ends in .svg, or in .png, which needs libcairo
-- @tparam[opt] table options `zoom` (2): PNG pixels per pixel of the figure
-- @treturn plot.Figure itself
function Figure:save(name, options)
  name = check.name('plot.save', 'name', name)
  options = check.options('plot.save', options, { 'zoom' })
  local zoom = check.number('plot.save', 'zoom', options.zoom == nil and 2 or options.zoom, { min = 0.1, max = 20 })
  local kind = (name:match '%.(%w+)$' or ''):lower()
  check.that(kind == 'svg' or kind == 'png', ('plot.save: name: %s, expected one that ends in .svg or .png'):format(name))
  if kind == 'png' then
    check.call(function() draw(self, require('plot.cairo').new(self.width, self.height, zoom)):save(name) end)
    return self
  end
  local text = self:svg()
  require('torch.file.atomic').write('plot.save', name, function(channel)
    local _, message = channel:write(text, #text)
    if message then error(message, 0) end
  end)
  return self
end

return Figure
