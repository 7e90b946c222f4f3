--- Plots of columns of data frames by their names: `axes:scatter(frame, 'length', 'width')`.
-- @module plot.columns
local torch = require 'torch'
local check = require 'torch.check'
local scale = require 'plot.scale'

-- The methods that take columns: how many, on which axis each of them is, which of them are names as texts, and whether missing values
-- are left out rather than gaps. With `by`, the option of this name draws the rows of each value of a column, as entries of the legend;
-- with `several`, the last column may be a list of names.
local methods = {
  plot = { 'x', 'y', by = true, several = true }, scatter = { 'x', 'y', by = true }, step = { 'x', 'y', by = true, several = true },
  hist = { 'x', whole = true, by = true }, bar = { 'x', 'y', width = 'width' }, barh = { 'y', 'x', width = 'height' },
  stem = { 'x', 'y' }, errorbar = { 'x', 'y' }, hist2d = { 'x', 'y', whole = true }, fillBetween = { 'x', false, false },
}

-- Options that may be names of columns of numbers.
local columnOptions = { 'c', 's', 'yerr', 'xerr' }

local function typeOf(where, frame, name)
  check.that(type(name) == 'string', ('%s: %s, expected the name of a column of the frame'):format(where, check.describe(name)))
  if not frame.columns[name] then check.raise(('%s: %s'):format(where, frame:_unknown(name))) end
  return frame.types[name]
end

-- The values of a column for a plot: texts and names of categories, or numbers.
local function valuesOf(frame, name)
  local type_ = frame.types[name]
  if type_ == 'text' or type_ == 'category' then return frame:cast({ [name] = 'text' }).columns[name] end
  return frame:numbers(name)
end

-- Names the axes that have no label, and makes those of dates such.
local function prepare(axes, where, method, frame, names)
  for j, name in ipairs(names) do
    local axis = method[j]
    if axis then
      axes.words[axis .. 'label'] = axes.words[axis .. 'label'] or name
      if typeOf(where, frame, name) == 'date' and axes[axis].kind == scale.kinds.linear then axes[axis].kind = scale.kinds.date end
    end
  end
end

-- The smallest distance of different values.
local function spacing(x)
  local sorted, least = torch.sort(x, 1), math.huge
  for i = 2, sorted:nElement() do
    local distance = sorted[i] - sorted[i - 1]
    if distance > 0 then least = math.min(least, distance) end
  end
  return least < math.huge and least or 86400
end

local function copied(options)
  local copy = {}
  for name, value in pairs(options) do copy[name] = value end
  return copy
end

-- The options with numbers for names of columns; bars of dates get a width.
local function numbersIn(frame, method, names, options)
  for _, name in ipairs(columnOptions) do
    if type(options[name]) == 'string' and frame.columns[options[name]] and frame.types[options[name]] ~= 'text' then
      options[name] = frame:numbers(options[name])
    end
  end
  if method.width and options[method.width] == nil and frame.types[names[1]] == 'date' then
    options[method.width] = 0.8 * spacing(frame:dropMissing(names[1]):numbers(names[1]))
  end
  return options
end

local function isOptions(value) return type(value) == 'table' and not torch.typename(value) end

-- Arguments with other options at their end.
local function withOptions(rest, options)
  local list = { unpack(rest) }
  list[isOptions(list[#list]) and #list or #list + 1] = options
  return list
end

-- Draws one set of columns; returns what the method returns.
local function draw(axes, f, method, frame, names, rest)
  local options = numbersIn(frame, method, names, copied(isOptions(rest[#rest]) and rest[#rest] or {}))
  if next(options) then rest = withOptions(rest, options) end
  if method.whole then frame = frame:dropMissing(names) end
  local arguments = {}
  for j, name in ipairs(names) do arguments[j] = valuesOf(frame, name) end
  for _, value in ipairs(rest) do arguments[#arguments + 1] = value end
  return f(axes, unpack(arguments))
end

local function textOf(key) return (tostring(key):gsub('^(%-?%d+)U?LL$', '%1')) end

-- Draws the rows of each value of a column. Histograms have the same bins.
local function drawGroups(axes, f, where, method, frame, names, rest, options)
  typeOf(where, frame, options.by)
  options = copied(options)
  if where == 'hist' and not isOptions(options.bins) and options.range == nil then
    local x = frame:dropMissing(names[1]):numbers(names[1])
    if x:nElement() > 0 and x:max() > x:min() then options.range = { x:min(), x:max() } end
  end
  for key, rows in frame:groupBy(options.by):each() do
    local own = copied(options)
    own.by, own.label = nil, textOf(key)
    draw(axes, f, method, rows, names, withOptions(rest, own))
  end
  return axes
end

-- Draws a line for each of several columns.
local function drawSeveral(axes, f, where, method, frame, x, list, rest, options)
  for _, name in ipairs(list) do
    typeOf(where, frame, name)
    local own = copied(options)
    own.label = own.label or name
    draw(axes, f, method, frame, { x, name }, withOptions(rest, own))
  end
  return axes
end

-- Box plots and violins of columns, or of the values of a column by those of another.
local function groupsOf(where, frame, which, by)
  local groups, labels = {}, {}
  for _, name in ipairs(type(which) == 'table' and which or { which }) do typeOf(where, frame, name) end
  if by ~= nil then
    typeOf(where, frame, by)
    check.that(type(which) == 'string', ('%s: by: several columns, expected one'):format(where))
    for key, rows in frame:dropMissing(which):groupBy(by):each() do
      groups[#groups + 1], labels[#labels + 1] = rows:numbers(which), textOf(key)
    end
  else
    for j, name in ipairs(type(which) == 'table' and which or { which }) do
      groups[j], labels[j] = frame:dropMissing(name):numbers(name), name
    end
  end
  return groups, labels
end

local function distributions(Axes, where)
  local f = Axes[where]
  Axes[where] = function(self, frame, which, options)
    if torch.type(frame) ~= 'data.Frame' then return f(self, frame, which, options) end
    check.that(type(which) == 'string' or type(which) == 'table',
      ('%s: %s, expected names of columns'):format(where, check.describe(which)))
    local own = copied(check.table(where, 'options', options or {}))
    local groups, labels = groupsOf(where, frame, which, own.by)
    local value, group = own.vert == false and 'xlabel' or 'ylabel', own.vert == false and 'ylabel' or 'xlabel'
    if type(which) == 'string' then self.words[value] = self.words[value] or which end
    if own.by then self.words[group] = self.words[group] or own.by end
    own.by, own.labels = nil, own.labels or labels
    return f(self, groups, own)
  end
end

local function pies(Axes)
  local f = Axes.pie
  function Axes:pie(frame, sizes, labels, options)
    if torch.type(frame) ~= 'data.Frame' then return f(self, frame, sizes, labels, options) end
    if type(labels) == 'table' then labels, options = nil, labels end
    typeOf('pie', frame, sizes)
    local own = copied(options or {})
    if labels ~= nil then
      typeOf('pie', frame, labels)
      own.labels = own.labels or frame:cast({ [labels] = 'text' }).columns[labels]
    end
    return f(self, frame:numbers(sizes), own)
  end
end

--- Lets methods of axes take a frame and names of columns instead of tensors.
-- @tparam table Axes
return function(Axes)
  for where, method in pairs(methods) do
    local f = Axes[where]      -- help finds its comment through this upvalue
    Axes[where] = function(self, frame, ...)
      if torch.type(frame) ~= 'data.Frame' then return f(self, frame, ...) end
      local arguments = { ... }
      local names, rest = { unpack(arguments, 1, #method) }, { unpack(arguments, #method + 1) }
      local options = isOptions(rest[#rest]) and rest[#rest] or {}
      local list = method.several and isOptions(names[#method]) and names[#method]
      for j = 1, list and 1 or #method do typeOf(where, frame, names[j]) end
      prepare(self, where, method, frame, list and { names[1] } or names)
      if list then return drawSeveral(self, f, where, method, frame, names[1], list, rest, options) end
      if method.by and options.by ~= nil then return drawGroups(self, f, where, method, frame, names, rest, options) end
      return draw(self, f, method, frame, names, rest)
    end
  end
  distributions(Axes, 'boxplot')
  distributions(Axes, 'violin')
  pies(Axes)
end
