--- Plots of columns of data frames by their names: `axes:scatter(frame, 'length', 'width')`.
-- @module plot.columns
local torch = require 'torch'
local check = require 'torch.check'

-- The methods that take columns, with the number of their columns; the axes of these that get the columns' names as labels.
local methods = {
  plot = { 2, 'x', 'y' }, scatter = { 2, 'x', 'y' }, bar = { 2, 'x', 'y' }, barh = { 2, 'y', 'x' }, step = { 2, 'x', 'y' },
  stem = { 2, 'x', 'y' }, errorbar = { 2, 'x', 'y' }, hist2d = { 2, 'x', 'y' }, fillBetween = { 3, 'x' }, hist = { 1, 'x' },
}

-- The values of a column for a plot: texts and names of categories, or numbers.
local function valuesOf(where, frame, name, withoutGaps)
  check.that(type(name) == 'string', ('%s: %s, expected the name of a column of the frame'):format(where, check.describe(name)))
  if not frame.columns[name] then
    check.raise(('%s: column: %s, expected one of %s'):format(where, name, table.concat(frame.names, ', ')))
  end
  local type_ = frame.types[name]
  if type_ == 'text' or type_ == 'category' then return frame:cast({ [name] = 'text' }).columns[name] end
  if withoutGaps then frame = frame:dropMissing(name) end
  return frame:numbers(name)
end

-- Names the axes that have no label.
local function label(axes, method, names)
  for j, name in ipairs(names) do
    local axis = method[j + 1]
    if axis then axes.words[axis .. 'label'] = axes.words[axis .. 'label'] or name end
  end
end

--- Lets methods of axes take a frame and names of columns instead of tensors.
-- @tparam table Axes
return function(Axes)
  for name, method in pairs(methods) do
    local f = Axes[name]      -- help finds its comment through this upvalue
    Axes[name] = function(self, frame, ...)
      if torch.type(frame) ~= 'data.Frame' then return f(self, frame, ...) end
      local arguments, names = { ... }, {}
      for j = 1, method[1] do
        names[j] = arguments[j]
        arguments[j] = valuesOf(name, frame, names[j], name == 'hist')
      end
      label(self, method, names)
      return f(self, unpack(arguments, 1, math.max(select('#', ...), method[1])))
    end
  end
end
