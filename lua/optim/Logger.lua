--- A table of numbers with one line per step, in a text file and as a plot.
-- @classmod optim.Logger
local torch, check = require 'torch', require 'torch.check'
local keep, paths = require 'torch.file.append_text', require 'paths'

local Logger = torch.class 'optim.Logger'

--- @tparam[opt] string filename overwritten; its folder is created. Without it, lines go to the standard output
-- @tparam[opt] boolean timestamp appends the time to the name
-- @raise if the file can't be opened
function Logger:__init(filename, timestamp)
  if filename then
    check.name('optim.Logger', 'filename', filename)
    self.name = timestamp and filename .. os.date '-%Y_%m_%d_%X' or filename
    local folder = paths.dirname(self.name)
    if not paths.dirp(folder) then paths.mkdir(folder) end      -- if that fails, opening the file reports the error
    self:_open()
    self.epsfile = self.name .. '.eps'
  else
    self.file, self.name = io.stdout, 'stdout'
    print '<Logger> warning: no path provided, logging to std out'
  end
  self.empty, self.showPlot, self.logscale = true, true, false
  self.symbols, self.styles, self.names, self.idx = {}, {}, {}, {}
  self.figure, self.plotRawCmd, self.defaultStyle = nil, nil, '+'
end

-- Methods that classes of other formats replace: to open the file, to write to it, and the texts of names and of a row.
function Logger:_open()
  local file, message = io.open(self.name, 'w')
  self.file = check.that(file, 'optim.Logger: ' .. tostring(message))
end

function Logger:_write(where, ...) return keep(where, self.name, self.file, ...) end

-- Returns the texts of a row, each followed by a tab.
local function line(texts) return table.concat(texts, '\t') .. (#texts > 0 and '\t\n' or '\n') end

function Logger._header(_, names) return line(names) end

local function asText(value) return type(value) == 'number' and ('%11.4e'):format(value) or value end

-- Values by column.
function Logger:_row(values)
  local texts = {}
  for i, column in ipairs(self.order) do texts[i] = values[column] ~= nil and asText(values[column]) or '' end
  return line(texts)
end

--- Writes the names of the columns; from then on, `add` accepts values by position.
-- @tparam {string,...} names
-- @treturn optim.Logger self
-- @raise if the line can't be written
function Logger:setNames(names)
  check.table('optim.Logger.setNames', 'names', names)
  self.names, self.empty, self.nsymbols, self.order = names, false, #names, {}
  for i, name in ipairs(names) do check.text('optim.Logger.setNames', 'names: number ' .. i, name) end
  for position, name in ipairs(names) do
    self.order[position] = position
    self.symbols[position], self.styles[position] = {}, self.styles[position] or { self.defaultStyle }
    self.idx[name] = position
  end
  self:_write('optim.Logger.setNames', self:_header(names))
  return self
end

local function before(a, b)
  if type(a) == type(b) then return a < b end
  return type(a) == 'number'
end

-- Handles the first line without setNames: its keys, in sorted order, become the names of the columns for all lines. Returns the line with
-- the names.
local function header(self, values)
  self.empty, self.order = false, {}
  for key in pairs(values) do
    self.order[#self.order + 1] = key
    self.symbols[key], self.styles[key], self.names[key] = {}, self.styles[key] or { self.defaultStyle }, key
  end
  table.sort(self.order, before)
  self.nsymbols = #self.order
  return self:_header(self.order)
end

local function checkValue(value, key)
  if type(value) == 'number' or type(value) == 'string' then return end
  error(('Logger.add: %s: a %s; can only log numbers and strings'):format(tostring(key), torch.type(value)), 3)
end

--- Writes a line.
-- @tparam table values numbers and strings by name, or by position after setNames
-- @treturn optim.Logger self
-- @raise if a value has another type, if a column doesn't exist, or if the line can't be written
function Logger:add(values)
  check.table('optim.Logger.add', 'values', values)
  local names = self.empty and header(self, values) or ''
  local row = {}
  for key, value in pairs(values) do
    local column = self.symbols[key] and key or self.idx[key]
    if not column then error(('Logger.add: %s: no such column'):format(tostring(key)), 2) end
    checkValue(value, key)
    row[column] = value
    table.insert(self.symbols[column], value)
  end
  self:_write('optim.Logger.add', names, self:_row(row))
  return self
end

--- Sets the styles of the columns.
-- @tparam table symbols by name, or after setNames also by position, a gnuplot style or a list of them: '-', '+', '|', '.', '~', '+-', ...
-- @treturn optim.Logger self
-- @raise if a style is neither
function Logger:style(symbols)
  for name, style in pairs(check.table('optim.Logger.style', 'symbols', symbols)) do
    if type(style) ~= 'string' and type(style) ~= 'table' then
      error('optim.Logger.style: style should be a string or a table of strings', 2)
    end
    self.styles[self.idx[name] or name] = type(style) == 'string' and { style } or style
  end
  return self
end

--- Sets whether the y axis is logarithmic.
-- @bool state
function Logger:setlogscale(state)
  self.logscale = state
end

--- Sets whether plot opens a window; it writes the file in any case.
-- @bool state
function Logger:display(state)
  self.showPlot = state
end

-- Returns curves {name, x, y, style} of the columns with more than one number.
local function curvesOf(self, wanted)
  local curves = {}
  for key, values in pairs(self.symbols) do
    local name = tostring(self.names[key] or key)
    if #values > 1 and type(values[1]) == 'number' and (not wanted or wanted[name]) then
      for _, style in ipairs(self.styles[key] or { self.defaultStyle }) do
        curves[#curves + 1] = { name, torch.range(1, #values), torch.Tensor(values), style }
      end
    end
  end
  table.sort(curves, function(a, b) return a[1] < b[1] end)
  return curves
end

local function draw(self, gnuplot, curves)
  if self.plotRawCmd then gnuplot.raw(self.plotRawCmd) end
  gnuplot.plot(curves)
  gnuplot.grid 'on'
  gnuplot.title('<Logger::' .. self.name .. '>')
  if self.logscale then gnuplot.logscale 'on' end
end

local warned

-- Whether the package is Moontorch's, which reports more than Torch7's.
local function isOurs(gnuplot) return (debug.getmetatable(gnuplot) or {}).__names ~= nil end

-- Returns the package gnuplot; nil if the package, or the program that it runs, is missing.
local function plotter()
  local found, loaded = rawget(_G, 'gnuplot') ~= nil, nil
  if not found then
    found, loaded = pcall(require, 'gnuplot')
  end
  local gnuplot = found and (rawget(_G, 'gnuplot') or loaded) or nil
  if gnuplot and isOurs(gnuplot) and not gnuplot.isInstalled() then return nil end
  return gnuplot
end

-- Whether a figure without a file would be visible: a plot as text is useless if the program's output is a file.
local function isShown(gnuplot)
  return not isOurs(gnuplot) or gnuplot.terminal() ~= 'dumb' or torch.isatty(io.stdout)
end

--- Draws the columns into a window, if `display` is on, and the file `epsfile`. Needs the program gnuplot; without it, prints a message
-- once.
-- @tparam[opt] string|{string,...} ... names of the columns, by default all
function Logger:plot(...)
  local gnuplot = plotter()
  if not gnuplot then
    if not warned then print '<Logger> warning: cannot plot with this version of Torch: gnuplot is missing' end
    warned = true
    return
  end
  local names, wanted = { ... }, nil
  for _, name in ipairs(type(names[1]) == 'table' and names[1] or names) do
    wanted = wanted or {}
    wanted[name] = true
  end
  local curves = curvesOf(self, wanted)
  if #curves == 0 then return end
  if self.showPlot and isShown(gnuplot) then
    self.figure = gnuplot.figure(self.figure)
    draw(self, gnuplot, curves)
  end
  if self.epsfile then
    os.remove(self.epsfile)
    local figure = gnuplot.epsfigure(self.epsfile)
    draw(self, gnuplot, curves)
    gnuplot.plotflush()
    gnuplot.close(figure)
  end
end

return Logger
