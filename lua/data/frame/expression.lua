--- Expressions of Lua with the names of columns: `length > 5 and species == 'iris'`.
-- @module data.frame.expression
local check = require 'torch.check'
local column = require 'data.frame.column'
local dates = require 'data.frame.dates'
local loops = require 'data.frame.loops'
local nearest = require 'data.frame.nearest'

local expression = {}

local nan = 0 / 0

-- What expressions see besides columns.
local common = { math = math, string = string, tonumber = tonumber, tostring = tostring }
for _, name in ipairs { 'abs', 'ceil', 'cos', 'exp', 'floor', 'huge', 'log', 'max', 'min', 'pi', 'sin', 'sqrt', 'tan' } do
  common[name] = math[name]
end

-- Whether a value equals one of others.
function common.isIn(value, ...)
  for j = 1, select('#', ...) do
    if value == select(j, ...) then return true end
  end
  return false
end

-- A function of a row's number that returns the value of a column: a category by its name, missing numbers as NaN and texts as ''.
local function getter(c)
  local values = c.values
  if c.type == 'text' then return function(i) return values[i] end end
  if c.type == 'category' then
    local names, places = c.categories, values:int():contiguous()
    local p = places:data()
    return function(i) return names[p[i - 1]] or '', places end
  end
  local numbers = column.doubles(c)
  local p = numbers:data()
  if c.type == 'torch.BoolTensor' then
    return function(i)
      local value = p[i - 1]
      if value ~= value then return nil, numbers end
      return value ~= 0, numbers
    end
  end
  return function(i) return p[i - 1], numbers end
end

-- The expression with numbers for the dates in texts that are compared with columns of dates.
local function withDates(frame, op, text)
  local function number(name, quoted)
    if frame.types[name] ~= 'date' then return nil end
    local seconds = dates.read(quoted:sub(2, -2))
    check.that(seconds, ('%s: %q: %s is compared with %s, expected a date such as 2024-05-31'):format(op, text, name, quoted))
    return ('(%.17g)'):format(seconds)
  end
  for _, quote in ipairs { '"', "'" } do
    local literal = quote .. '[^' .. quote .. '\n]*' .. quote
    text = text:gsub('([%a_][%w_]*)(%s*[<>=~]=?%s*)(' .. literal .. ')', function(name, operator, quoted)
      local seconds = number(name, quoted)
      return seconds and name .. operator .. seconds
    end)
    text = text:gsub('(' .. literal .. ')(%s*[<>=~]=?%s*)([%a_][%w_]*)', function(quoted, operator, name)
      local seconds = number(name, quoted)
      return seconds and seconds .. operator .. name
    end)
  end
  return text
end

-- The names of columns that occur in an expression, outside its strings.
local function mentioned(frame, text)
  local found, seen = {}, {}
  for word in text:gsub('%b""', '""'):gsub("%b''", "''"):gmatch '[%a_][%w_]*' do
    if frame.columns[word] and not seen[word] then
      seen[word] = true
      found[#found + 1] = word
    end
  end
  return found
end

-- A function of a row's number that returns whether one of these columns has a missing text there.
local function missingTexts(frame, names)
  local masks = {}
  for _, name in ipairs(names) do
    local c = frame:_record(name)
    if (c.type == 'text' or c.type == 'category') and column.anyMissing(c) then masks[#masks + 1] = column.missing(c) end
  end
  return function(i)
    for j = 1, #masks do
      if masks[j][i] ~= 0 then return true end
    end
    return false
  end
end

-- A function of a row's number that returns the value of the expression there, and the names of the columns in it.
local function compiled(frame, op, text)
  local chunk, message = loadstring('return ' .. withDates(frame, op, text), '=expression')
  check.that(chunk, ('%s: %q, expected an expression of Lua: %s'):format(op, text, tostring(message)))
  local names, getters = mentioned(frame, text), {}
  for j, name in ipairs(names) do getters[j] = getter(frame:_record(name)) end
  local scope = setmetatable({}, { __index = function(_, name)
    local value = common[name]
    if (name == 'dates' or name == 'texts') and not frame.columns[name] then return require('data')[name] end
    if value == nil and not frame.columns[name] then      -- a column's missing boolean is nil
      local near = nearest(name, frame.names)
      error(('%s: %q: %s, expected one of the columns %s%s'):format(op, text, name, table.concat(frame.names, ', '),
        near and ('; the nearest name is %s'):format(near) or ''), 0)
    end
    return value
  end })
  setfenv(chunk, scope)
  return function(i)
    for j = 1, #names do scope[names[j]] = getters[j](i) end
    return chunk()
  end, names
end

-- Calls f with each row's number and value.
local function each(frame, op, value, text, f)
  local row
  local good, message = pcall(function()
    for i = 1, frame:size() do
      row = i
      f(i, value(i))
    end
  end)
  if good then return end
  message = tostring(message)
  check.raise(message:find(op, 1, true) == 1 and message or ('%s: %q: row %d: %s'):format(op, text, row or 1, message))
end

--- The rows for which an expression is neither false nor nil.
-- @tparam data.Frame frame
-- @string op begins messages
-- @string text
-- @treturn torch.IntTensor
function expression.places(frame, op, text)
  local places, count = loops.ints(frame:size()), 0
  local p = places:data()
  each(frame, op, (compiled(frame, op, text)), text, function(i, value)
    if value then
      p[count] = i
      count = count + 1
    end
  end)
  return places:resize(count)
end

--- The column of an expression's values. An empty text is missing where a text in the expression is.
-- @tparam data.Frame frame
-- @string op begins messages
-- @string text
-- @treturn table
function expression.column(frame, op, text)
  local values, isText = {}, false
  local value, names = compiled(frame, op, text)
  local isMissing = missingTexts(frame, names)
  each(frame, op, value, text, function(i, found)
    if found == '' and isMissing(i) then found = nil end
    isText = isText or type(found) ~= 'number' and found ~= nil
    values[i] = found
  end)
  if not isText then
    for i = 1, frame:size() do
      if values[i] == nil then values[i] = nan end
    end
  end
  return column.ofList(op, values, frame:size())
end

return expression
