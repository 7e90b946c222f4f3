--- Progress of a loop on a line of the terminal: percentage, speed and remaining time.
-- A loop over `xlua.bar(x)` is a loop over x that also draws this line. The line goes to standard error, so that it does not mix with the
-- program's output; if standard error is not a terminal, nothing is drawn. Loops may be nested: each has a line.
-- @module xlua.bar
-- @usage for epoch in xlua.bar(10, 'epoch') do
--   for batch in xlua.bar(loader) do step(batch) end
-- end
local check = require 'torch.check'
local clock = require 'torch.clock'
local drawing = require 'xlua.drawing'

local bar = {}

local optionNames = { 'description', 'total', 'interval', 'file', 'always', 'leave' }
local usualInterval, widestBar, narrowestBar = 0.1, 40, 5
local active = {}      -- bars on the terminal, the outermost first
local lines = {}       -- their outputs in a notebook

local Bar = {}
Bar.__index = Bar

local function short(number)
  for _, unit in ipairs { { 1e9, 'G' }, { 1e6, 'M' }, { 1e4, 'k' } } do
    if number >= unit[1] then return ('%.4g%s'):format(number / (unit[2] == 'k' and 1e3 or unit[1]), unit[2]) end
  end
  return (number >= 100 and '%.0f' or '%.3g'):format(number)
end

local function rateText(rate) return rate >= 1 and short(rate) .. '/s' or drawing.time(1 / rate) .. ' each' end

-- Formats the current line.
local function lineOf(self, now)
  local elapsed = now - self._started
  local rate = elapsed > 0 and self.count / elapsed or 0
  local parts, total = {}, self.total
  if self.description then parts[1] = self.description end
  if total then parts[#parts + 1] = ('%3d%%'):format(total > 0 and math.floor(self.count * 100 / total) or 100) end
  local place = #parts + 1
  parts[place] = total and ('%d/%d'):format(self.count, total) or ('%d'):format(self.count)
  parts[place + 1] = drawing.time(elapsed)
  if total and rate > 0 and self.count < total then
    parts[place + 1] = parts[place + 1] .. ', ' .. drawing.time((total - self.count) / rate) .. ' left'
  end
  if rate > 0 then parts[place + 2] = rateText(rate) end
  if self._values then parts[#parts + 1] = self._values end
  local text = table.concat(parts, '  ')
  local room = self._columns - #text - 5
  if self._inNotebook then return text, total and (total > 0 and self.count / total or 1) end
  if total and room >= narrowestBar then
    local drawn = '[' .. drawing.bar(math.min(room, widestBar), total > 0 and self.count / total or 1) .. ']'
    table.insert(parts, place, drawn)
    text = table.concat(parts, '  ')
  end
  return text:sub(1, self._columns - 1)
end

-- Removes the bars inside of this one, whose loops have ended early.
local function dropInner(self)
  for i = #active, 1, -1 do
    if active[i] == self then return end
    active[i] = nil
  end
end

-- Draws the bar on its line, below those of the enclosing loops, and leaves the cursor on the first line.
local function draw(self, now)
  dropInner(self)
  local depth = #active - 1
  if self._inNotebook then
    lines[depth] = lines[depth] or require 'notebook.line'()
    local text, share = lineOf(self, now)
    return lines[depth]:draw(text, share, true)
  end
  self.file:write(('\n'):rep(depth), '\r', lineOf(self, now), '\27[J', depth > 0 and ('\27[%dA\r'):format(depth) or '\r')
  self.file:flush()
end

-- Number of steps until the next check of the clock: about half of the interval.
local function look(self)
  local now = clock.monotonic()
  local since = now - self._drawn
  if since >= self._interval then
    draw(self, now)
    self._drawn = now
  end
  local rate = (self.count - self._looked) / math.max(now - self._lookedAt, 1e-9)
  self._looked, self._lookedAt = self.count, now
  self._next = self.count + math.max(1, math.min(math.floor(rate * self._interval / 2), 2 * (self.count + 1)))
end

--- Counts steps.
-- @int[opt=1] n
-- @treturn xlua.Bar
function Bar:update(n)
  self.count = self.count + (n or 1)
  if self._shown and self.count >= self._next then look(self) end
  return self
end

--- Shows values at the end of the line: `bar:set { loss = 0.25 }`.
-- @tparam table values numbers and texts by name
-- @treturn xlua.Bar
function Bar:set(values)
  local names, texts = {}, {}
  for name in pairs(check.table('xlua.bar', 'values', values)) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do
    local value = values[name]
    texts[i] = ('%s %s'):format(name, type(value) == 'number' and ('%.4g'):format(value) or tostring(value))
  end
  self._values = table.concat(texts, '  ')
  return self
end

--- Draws the bar for the last time. An outermost line stays, others are cleared, unless `leave` says otherwise.
function Bar:close()
  if not self._shown then return end
  self._shown = false
  draw(self, clock.monotonic())
  local depth = #active - 1
  local leave = self._leave
  if leave == nil then leave = depth == 0 end
  active[#active] = nil
  if self._inNotebook then
    if not leave then lines[depth]:draw('', nil, true) end
    if depth == 0 then lines = {} elseif leave then lines[depth] = nil end
    return
  end
  if leave then
    self.file:write(('\n'):rep(depth + 1))
  else
    self.file:write(('\n'):rep(depth), '\r\27[J', depth > 0 and ('\27[%dA\r'):format(depth) or '')
  end
  self.file:flush()
end

--- Discards the bars of loops that an error or Ctrl-C has ended: the next bar is an outermost one.
function bar.forget() active, lines = {}, {} end

-- Starts to draw, if there is a terminal.
local function show(self, always)
  local torch = require 'torch'
  self._inNotebook = not always and self.file == io.stderr and require 'torch.modules'.loaded 'notebook.kernel' ~= nil
  self._shown = always or self._inNotebook or io.type(self.file) == 'file' and torch.isatty(self.file)
  if not self._shown then return end
  self._columns = drawing.columns(self.file == io.stdout and 1 or 2)
  active[#active + 1] = self
  draw(self, self._started)
end

--- A bar that the program updates explicitly.
-- @int[opt] total number of steps
-- @tparam[opt] string|table options the description, or as for `bar`
-- @treturn xlua.Bar with the methods `update(n)`, `set(values)` and `close()`
-- @usage local b = xlua.Bar(#names, 'files')
-- for _, name in ipairs(names) do read(name); b:update() end
-- b:close()
function bar.Bar(total, options)
  if type(options) == 'string' then options = { description = options } end
  options = check.options('xlua.bar', options, optionNames)
  if total ~= nil then check.number('xlua.bar', 'total', total, { min = 0 }) end
  local now = clock.monotonic()
  local self = setmetatable({
    count = 0, total = total, description = options.description, file = options.file or io.stderr, _leave = options.leave,
    _interval = check.number('xlua.bar', 'interval', options.interval or usualInterval, { min = 0 }),
    _started = now, _drawn = now, _looked = 0, _lookedAt = now, _next = 1,
  }, Bar)
  show(self, options.always)
  return self
end

-- Returns how to iterate over a value: an iterator, and the number of steps or nil.
local function over(what)
  local torch = require 'torch'
  if type(what) == 'number' then
    local i = 0
    return function()
      i = i + 1
      if i <= what then return i end
    end, math.max(0, math.floor(what))
  end
  if torch.isTensor(what) or type(what) == 'table' and what.get and what.size then
    local isTensor, i = torch.isTensor(what), 0
    local size = isTensor and (what:dim() > 0 and what:size(1) or 0) or what:size()
    return function()
      i = i + 1
      if i <= size then return i, isTensor and what[i] or not isTensor and what:get(i) end
    end, size
  end
  local metatable = debug.getmetatable(what)
  if type(what) == 'table' and not (metatable and metatable.__call) then
    local i = 0
    return function()
      i = i + 1
      if what[i] ~= nil then return i, what[i] end
    end, #what
  end
  local count = type(what) == 'table' and type(what.size) == 'function' and what:size() or nil
  if type(what) == 'table' then return what(), tonumber(count) end
  return what, nil
end

-- Counts a step for each value after the first, and one after the last.
local function counting(self, ...)
  if ... == nil then
    self:close()
  else
    self._begun = true
  end
  return ...
end

--- Iterates over a value with a bar.
-- @param what a count (`for i in`), a list or tensor (`for i, x in`), a set with `size` and `get` (`for i, sample in`), a loader or other
-- object whose call returns an iterator, or an iterator such as `pairs` and `io.lines` return: its function, and in `xlua.bar(f, options,
-- state, first)` the function's arguments
-- @tparam[opt] string|table options the description, or a table:
--
-- - `description`: words before the bar
-- - `total`: number of steps, for iterators, whose length is unknown
-- - `interval`: seconds between drawings (0.1)
-- - `file`: the output (io.stderr); `always`: true draws even if it is not a terminal
-- - `leave`: whether the line stays after the loop; by default only that of an outermost loop stays
-- @param[opt] state of an iterator
-- @param[opt] first of an iterator
-- @treturn function iterator
-- @treturn xlua.Bar the bar, whose `set` shows values: `local steps, b = xlua.bar(100); for i in steps do b:set { loss = loss } end`
-- @usage for i, name in xlua.bar(names, 'reading') do read(name) end
function bar.bar(what, options, state, first)
  if type(options) == 'string' then options = { description = options } end
  check.that(type(what) == 'number' or type(what) == 'function' or type(what) == 'table' or type(what) == 'userdata',
    ('xlua.bar: what: %s, expected a count, list, tensor, set, loader or iterator'):format(type(what)))
  local step, count = over(what)
  local self = bar.Bar(type(options) == 'table' and options.total or count, options)
  local control = first
  local function keep(value, ...)
    control = value
    return counting(self, value, ...)
  end
  return function()
    if self._begun then self:update() end
    return keep(step(state, control))
  end, self
end

return bar
