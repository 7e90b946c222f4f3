--- A figure: settings and a drawing, stored as commands, so that it can be drawn again, to other files, and after later settings.
-- @module gnuplot.Figure
local program, quote = require 'gnuplot.program', require 'gnuplot.quote'

local Figure = {}
Figure.__index = Figure

--- A figure without a drawing.
-- @int number
-- @tparam table target `terminal`: the command that selects it; `file`: the output file; `isWindow`, `isText`
-- @treturn Figure
function Figure.new(number, target)
  return setmetatable({ number = number, target = target, items = {}, blocks = 0 }, Figure)
end

-- Removes the first item for which a function returns true.
local function drop(items, test)
  for i, item in ipairs(items) do
    if test(item) then return table.remove(items, i) end
  end
end

--- Adds a command that draws nothing.
-- @string text
-- @string[opt] key replaces an earlier command with the same key, except on a page of several drawings
function Figure:set(text, key)
  if key and not self.isMultiple then drop(self.items, function(item) return item.key == key end) end
  self.items[#self.items + 1] = { key = key, text = text }
  self:changed()
end

--- Replaces the drawing; inside `set multiplot`, adds one.
-- @tparam table drawing `before`: default settings, which the figure's settings override; `data`: blocks of numbers as text; `command`: a
-- function of their names that returns the command
function Figure:draw(drawing)
  if not self.isMultiple then drop(self.items, function(item) return item.command end) end
  local names = {}
  for i in ipairs(drawing.data) do
    self.blocks = self.blocks + 1
    names[i] = '$D' .. self.blocks
  end
  local command = drawing.command(names)
  self.items[#self.items + 1] = { names = names, data = drawing.data, before = drawing.before, command = command }
  self:changed(true)
end

--- Begins a page of several drawings: removes everything except settings.
function Figure:beginMultiple()
  local kept = {}
  for _, item in ipairs(self.items) do
    if item.key then kept[#kept + 1] = item end
  end
  self.items, self.isMultiple = kept, true
end

--- Adds a command after the drawing.
-- @string command
function Figure:follow(command)
  local item = self:last()
  item.command = item.command .. '\n' .. command
  self:changed(true)
end

--- The last drawing, if there is one.
function Figure:last()
  for i = #self.items, 1, -1 do
    if self.items[i].command then return self.items[i] end
  end
end

-- Each function appends to a list of texts.
local function addBlocks(out, item)
  for i, name in ipairs(item.names or {}) do out[#out + 1] = ('%s << EOD\n%sEOD'):format(name, item.data[i]) end
  item.isSent = true
end

local function addBefore(out, item)
  for _, text in ipairs(item.before or {}) do out[#out + 1] = text end
end

-- Resets the settings of one drawing before the next one on a page of several.
local undo = 'set size noratio; set autoscale; set tics in; set xtics autofreq; set ytics autofreq; set key; set offsets; unset hidden3d'

--- The commands that draw the figure.
-- @bool again whether to omit blocks that were sent before
-- @treturn string
function Figure:commands(again)
  local out = { 'set key noenhanced opaque' }
  local items = self.items
  for _, item in ipairs(items) do
    if item.command and not (again and item.isSent) then addBlocks(out, item) end
    if item.command and not self.isMultiple then addBefore(out, item) end
  end
  for _, item in ipairs(items) do
    if item.text then out[#out + 1] = item.text end
    if item.command and self.isMultiple then
      addBefore(out, item)
      out[#out + 1] = item.command
      if #(item.before or {}) > 0 then out[#out + 1] = undo end
    end
  end
  local last = self:last()
  if last and not self.isMultiple then out[#out + 1] = last.command end
  return table.concat(out, '\n') .. '\n'
end

--- The complete script that draws the figure to a terminal.
-- @string terminal
-- @string[opt] file
-- @treturn string
function Figure:script(terminal, file)
  local output = file and ('set output %s\n'):format(quote.file(file)) or ''
  return ('set terminal %s\n%s%sunset output\n'):format(terminal, output, self:commands())
end

-- Shows the figure in its window.
local function show(figure)
  if not figure.pipe then
    figure.pipe = program.open()
    figure.pipe:write(('set terminal %s\n'):format(figure.target.terminal))
  end
  figure.pipe:write('reset\n' .. figure:commands(true))
  figure.pipe:flush()
end

-- Updates the output after a change. In a text terminal only new drawings are printed, not each later label.
function Figure:changed(isDrawing)
  if self.isMultiple or not self:last() then return end
  if self.target.isWindow then show(self) end
  if self.target.isText and isDrawing then self:flush() end
end

--- Draws the figure: writes the file, shows the window, or prints text.
function Figure:flush()
  if not self:last() then return end
  local target = self.target
  if target.isWindow then
    show(self)
  elseif target.isText then
    io.write(program.run(self:script(target.terminal)))
  else
    program.run(self:script(target.terminal, target.file))
  end
end

--- Closes the figure: writes the file, or closes the window.
function Figure:close()
  if not self.target.isWindow then
    if self.target.file then self:flush() end
  elseif self.pipe then
    self.pipe:write(('set terminal %s close\n'):format(self.target.terminal:match '^%S+ %d+'))
    self.pipe:close()
    self.pipe = nil
  end
end

return Figure
