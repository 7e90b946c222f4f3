--- What a figure has: settings and a drawing, kept as commands, so that it can be drawn again, elsewhere, and after later settings.
-- @module gnuplot.Figure
local program, quote = require 'gnuplot.program', require 'gnuplot.quote'

local Figure = {}
Figure.__index = Figure

--- A figure without a drawing.
-- @int number
-- @tparam table target `terminal`: the command that chooses it; `file`: the file that is written; `isWindow`, `isText`
-- @treturn Figure
function Figure.new(number, target)
  return setmetatable({ number = number, target = target, items = {}, blocks = 0 }, Figure)
end

-- Takes out the first item that a function holds true of.
local function drop(items, test)
  for i, item in ipairs(items) do
    if test(item) then return table.remove(items, i) end
  end
end

--- Adds a command that draws nothing by itself.
-- @string text
-- @string[opt] key what it settles: an earlier one of the same key gives way, but on a page of several drawings
function Figure:set(text, key)
  if key and not self.isMultiple then drop(self.items, function(item) return item.key == key end) end
  self.items[#self.items + 1] = { key = key, text = text }
  self:changed()
end

--- Puts a drawing in the place of the one before; inside `set multiplot` beside it.
-- @tparam table drawing `before`: what it needs, unless settings say otherwise; `data`: blocks of numbers as text; `command`: a function of
-- their names that gives the command
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

--- Begins a page of several drawings: nothing of the one before is left, but for settings.
function Figure:beginMultiple()
  local kept = {}
  for _, item in ipairs(self.items) do
    if item.key then kept[#kept + 1] = item end
  end
  self.items, self.isMultiple = kept, true
end

--- Has a command follow the drawing.
-- @string command
function Figure:follow(command)
  local item = self:last()
  item.command = item.command .. '\n' .. command
  self:changed(true)
end

--- The drawing that is shown last, if there is one.
function Figure:last()
  for i = #self.items, 1, -1 do
    if self.items[i].command then return self.items[i] end
  end
end

-- Each appends to a list of texts.
local function addBlocks(out, item)
  for i, name in ipairs(item.names or {}) do out[#out + 1] = ('%s << EOD\n%sEOD'):format(name, item.data[i]) end
  item.isSent = true
end

local function addBefore(out, item)
  for _, text in ipairs(item.before or {}) do out[#out + 1] = text end
end

-- What a drawing on a page of several needs is not for the next one.
local undo = 'set size noratio; set autoscale; set tics in; set xtics autofreq; set ytics autofreq; set key; set offsets; unset hidden3d'

--- The commands that draw it.
-- @bool again whether blocks that were sent once may be left out
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

--- The whole script that draws it to a terminal.
-- @string terminal
-- @string[opt] file
-- @treturn string
function Figure:script(terminal, file)
  local output = file and ('set output %s\n'):format(quote.file(file)) or ''
  return ('set terminal %s\n%s%sunset output\n'):format(terminal, output, self:commands())
end

-- Shows it in its window.
local function show(figure)
  if not figure.pipe then
    figure.pipe = program.open()
    figure.pipe:write(('set terminal %s\n'):format(figure.target.terminal))
  end
  figure.pipe:write('reset\n' .. figure:commands(true))
  figure.pipe:flush()
end

-- Something is other than what was shown last. Text goes by as it is drawn: only drawings come out, not each later label.
function Figure:changed(isDrawing)
  if self.isMultiple or not self:last() then return end
  if self.target.isWindow then show(self) end
  if self.target.isText and isDrawing then self:flush() end
end

--- Draws it: a file is written, a window shown, text printed.
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

--- Lets go of it: a file is written, a window closed.
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
