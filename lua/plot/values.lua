--- Converts arguments of plots (tensors, lists, numbers) to plain lists of numbers.
-- @module plot.values
local torch = require 'torch'
local check = require 'torch.check'
local dates = require 'data.frame.dates'

local values = {}

local function fail(where, name, value, expected)
  local shown = torch.isTensor(value) and ('sizes [%s]'):format(table.concat(value:size():totable(), ', ')) or tostring(value)
  check.raise(('%s: %s: %s, expected %s'):format(where, name, shown, expected))
end

--- A list of numbers.
-- @string where prefix of error messages
-- @string name of the argument
-- @param value a tensor (any sizes, taken in order), a storage or a list
-- @tparam[opt] int count required number of numbers; a single number is repeated
-- @treturn {number,...} a new list
function values.list(where, name, value, count)
  local list
  if type(value) == 'number' and count then
    list = {}
    for i = 1, count do list[i] = value end
  elseif torch.isTensor(value) then
    list = value:nElement() == 0 and {} or value:double():contiguous():view(-1):totable()
  elseif torch.isStorage(value) or type(value) == 'table' then
    list = torch.isStorage(value) and value:totable() or { unpack(value, 1, #value) }
    for i, x in ipairs(list) do
      if type(x) ~= 'number' then fail(where, ('%s[%d]'):format(name, i), x, 'a number') end
    end
  else
    fail(where, name, value, 'a tensor or a list of numbers')
  end
  if count and #list ~= count then check.raise(('%s: %s: %d numbers, expected %d'):format(where, name, #list, count)) end
  return list
end

--- Checks that a number is finite, as a single place on an axis.
-- @string where
-- @string name of the argument
-- @number value
-- @treturn number value
function values.finite(where, name, value)
  if value ~= value or math.abs(value) == math.huge then fail(where, name, value, 'a finite number') end
  return value
end

-- A list of names.
local function isNames(value) return type(value) == 'table' and not torch.typename(value) and type(value[1]) == 'string' end

--- A date as a number.
-- @string where
-- @string name of the argument
-- @param value a text such as '2024-05-31'; others are returned
-- @treturn number seconds since 1970
function values.date(where, name, value)
  if type(value) ~= 'string' then return value end
  return check.that(dates.read(value), ('%s: %s: %q, expected a date such as 2024-05-31'):format(where, name, value))
end

--- Positions along an axis: numbers, or names. Each name has one position, 1, 2, ... in order of occurrence, and a tick on the axis.
-- @tparam table axis
-- @string where
-- @string name of the argument
-- @param value a tensor or a list
-- @tparam[opt] int count required number of numbers
-- @treturn {number,...}
function values.places(axis, where, name, value, count)
  if not isNames(value) then return values.list(where, name, value, count) end
  if axis.kind and axis.kind.isDate then
    local list = {}
    for i, text in ipairs(value) do list[i] = values.date(where, ('%s[%d]'):format(name, i), text) end
    return values.list(where, name, list, count)
  end
  axis.names = axis.names or {}
  local list = {}
  for i, text in ipairs(value) do
    if not axis.names[text] then
      if not axis.names[1] then axis.ticks, axis.labels = {}, axis.names end
      axis.names[#axis.names + 1] = text
      axis.names[text] = #axis.names
      axis.ticks[#axis.names] = #axis.names
    end
    list[i] = axis.names[text]
  end
  if count and #list ~= count then check.raise(('%s: %s: %d names, expected %d'):format(where, name, #list, count)) end
  return list
end

--- The positions of columns or rows: `count` numbers, or 1, 2, ...
-- @string where
-- @string name
-- @param value nil for 1, 2, ...
-- @int count
-- @treturn {number,...}
function values.positions(where, name, value, count)
  if value ~= nil then return values.list(where, name, value, count) end
  local list = {}
  for i = 1, count do list[i] = i end
  return list
end

--- A matrix, as a tensor of doubles.
-- @string where
-- @string name
-- @param value a matrix, or a list of rows
-- @treturn torch.DoubleTensor
function values.matrix(where, name, value)
  if type(value) == 'table' then value = torch.DoubleTensor(value) end
  if not torch.isTensor(value) or value:dim() ~= 2 or value:nElement() == 0 then fail(where, name, value, 'a matrix') end
  return value:double():contiguous()
end

--- The smallest and the largest of the numbers that a scale can show.
-- @tparam {number,...} list
-- @tparam function shows
-- @treturn ?number
-- @treturn ?number
function values.range(list, shows)
  local low, high
  for i = 1, #list do
    local x = list[i]
    if shows(x) then
      if not low or x < low then low = x end
      if not high or x > high then high = x end
    end
  end
  return low, high
end

return values
