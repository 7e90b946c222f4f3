--- Expressions of Lua with the names of columns: `length > 5 and species == 'iris'`.
-- @module data.frame.expression
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local comparisons = require 'data.frame.comparisons'
local dates = require 'data.frame.dates'
local logic = require 'data.frame.logic'
local loops = require 'data.frame.loops'
local nearest = require 'data.frame.nearest'

local expression = {}

local nan = 0 / 0
local mostColumns = 50      -- a function of Lua has at most 200 local variables

local keywords = {}
local allKeywords = 'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'
for word in allKeywords:gmatch '%a+' do keywords[word] = true end

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

-- The source of an assignment of a column's value in row `_i`, from 0, to a local variable, and the objects that it reads: numbers as
-- doubles with NaN for missing ones, categories as names, missing texts as '' and missing booleans as nil. And the column for
-- `data.frame.logic`.
local function reading(c, name, j)
  local function named(text) return (text:gsub('%$', '_' .. j .. '_')) end
  local sources, isTexts, known = {}, c.type == 'text' or c.type == 'category', { missing = 'false' }
  local isExact = column.isWide(c)
  if (isTexts or isExact) and column.anyMissing(c) then
    sources.flags = column.missing(c):byte():contiguous()
    sources.m = sources.flags:data()
    known.flag = named '($m[_i] ~= 0)'
    known.missing = known.flag
  end
  if c.type == 'text' then
    sources.list = c.values
    return named '$list[_i + 1]', sources, known
  elseif c.type == 'category' then
    sources.kept, sources.list = column.codes(c), c.categories
    sources.p = sources.kept:data()
    return named "$list[$p[_i]] or ''", sources, known
  end
  sources.kept = column.doubles(c)
  sources.p = sources.kept:data()
  if isExact then
    sources.whole = c.values:contiguous()
    sources.q, known.exact = sources.whole:data(), named '$q[_i]'
  end
  if c.type ~= 'torch.BoolTensor' then
    known.missing = ('(%s ~= %s)'):format(name, name)
    return named '$p[_i]', sources, known
  end
  known.missing, known.isBoolean = ('(%s == nil)'):format(name), true
  return named '($p[_i] == 1 or ($p[_i] ~= 0 and nil))', sources, known
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
    if frame.columns[word] and not seen[word] and not keywords[word] then
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

-- What the names in an expression that are no columns stand for.
local function scopeOf(frame, op, text)
  return setmetatable({}, { __index = function(_, name)
    if name == 'dates' or name == 'texts' then return require('data')[name] end
    local value = common[name]
    if value == nil then
      local near = nearest(name, frame.names)
      error(('%s: %q: %s, expected one of the columns %s%s'):format(op, text, name, table.concat(frame.names, ', '),
        near and ('; the nearest name is %s'):format(near) or ''), 0)
    end
    return value
  end })
end

-- A loop over the rows, compiled with the columns as local variables: `body` uses `_value`, the value of the expression, and `_i`, the row
-- from 0; `isCondition` says whether it takes false and missing values as the same. Returns a function of the number of rows, the result of
-- the loop, and a place for the row; and the names of the columns.
local function loopOf(frame, op, text, body, isCondition)
  local source = withDates(frame, op, text)
  local chunk, message = loadstring('return ' .. source, '=expression')
  local names, heads, lines, values, known = mentioned(frame, text), {}, {}, { logic = logic.functions() }, {}
  check.that(#names <= mostColumns, ('%s: %q: %d columns, expected at most %d'):format(op, text, #names, mostColumns))
  for j, name in ipairs(names) do
    local expression_, sources, own = reading(frame:_record(name), name, j)
    known[name] = own
    for key, value in pairs(sources) do
      heads[#heads + 1] = ("local _%d_%s = _sources['%d%s']"):format(j, key, j, key)
      values[j .. key] = value
    end
    lines[#lines + 1] = ('local %s = %s'):format(name, expression_)
  end
  local loop
  if chunk then
    source = logic.translate(source, known, isCondition)
    loop, message = loadstring(([[local _sources, _n, _to, _row, _count, _type = ...
local _logic = _sources.logic
%s
for _i = 0, _n - 1 do _row[0] = _i
%s
local _value = (
%s
)
%s
end
return _count]]):format(table.concat(heads, '\n'), table.concat(lines, '\n'), source, body), '=expression')
  end
  check.that(loop, ('%s: %q, expected an expression of Lua: %s'):format(op, text, tostring(message)))
  setfenv(loop, scopeOf(frame, op, text))
  return function(to)
    local row = ffi.new 'int32_t[1]'
    local good, result = pcall(loop, values, frame:size(), to, row, 0, type)
    if good then return result end
    result = tostring(result)
    if result:find(op, 1, true) == 1 then check.raise(result) end
    local kinds = {}
    for j, name in ipairs(names) do kinds[j] = ('%s is %s'):format(name, frame.types[name]) end
    check.raise(('%s: %q: row %d: %s%s'):format(op, text, row[0] + 1, (result:gsub('^expression:%d+: ', '')),
      #kinds > 0 and (' (%s)'):format(table.concat(kinds, ', ')) or ''))
  end, names
end

--- The rows for which an expression is neither false nor missing.
-- @tparam data.Frame frame
-- @string op begins messages
-- @string text
-- @treturn torch.IntTensor
function expression.places(frame, op, text)
  local mask = comparisons.mask(frame, withDates(frame, op, text))
  if mask then return loops.places(mask) end
  local places = loops.ints(frame:size())
  local run = loopOf(frame, op, text, 'if _value and _value == _value then _to[_count] = _i + 1 _count = _count + 1 end', true)
  return places:resize(run(places:data()))
end

--- The column of an expression's values. An empty text is missing where a text in the expression is.
-- @tparam data.Frame frame
-- @string op begins messages
-- @string text
-- @treturn table
function expression.column(frame, op, text)
  local values, n = {}, frame:size()
  local numbers = torch.DoubleTensor():resize(n)
  -- Numbers, and nil for missing ones, go to a tensor, as long as all are such.
  if n > 0 and loopOf(frame, op, text, [[
    if _value == nil then _value = _to.nan elseif _type(_value) ~= 'number' then return -1 end
    _to.p[_i] = _value]])({ p = numbers:data(), nan = nan }) == 0 then
    return { type = 'torch.DoubleTensor', values = numbers }
  end
  local run, names = loopOf(frame, op, text, '_to[_i + 1] = _value')
  run(values)
  local isMissing, isNumbers = missingTexts(frame, names), true
  for i = 1, n do
    local value = values[i]
    if value == '' and isMissing(i) then values[i] = nil end
    if isNumbers and value ~= nil and type(value) ~= 'number' then isNumbers = false end
  end
  if isNumbers then
    for i = 1, n do
      if values[i] == nil then values[i] = nan end
    end
  end
  return column.ofList(op, values, n)
end

return expression
