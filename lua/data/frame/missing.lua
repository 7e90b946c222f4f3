--- Missing values of a data frame. Methods of `data.Frame`.
-- @module data.frame.missing
local torch = require 'torch'
local check = require 'torch.check'
local aggregates = require 'data.frame.aggregates'
local column = require 'data.frame.column'
local dates = require 'data.frame.dates'
local loops = require 'data.frame.loops'

local missing = {}

--- Where values are missing. In columns of floats and dates, these are NaN, and in categories 0. Columns of integers, booleans and texts
-- have a mask: their tensors and lists contain 0, false and '' there.
-- @function isMissing
-- @tparam[opt] string|int which a column; default: all
-- @treturn torch.BoolTensor|data.Frame the mask of the column, true where a value is missing, or a frame of the masks of all columns
-- @usage print(frame:isMissing('length'):sum())
function missing.isMissing(self, which)
  if which ~= nil then
    local c = self:_record(select(2, self:column(which)))
    return c.mask and c.mask:clone() or column.missing(c)
  end
  return self:_of(function(c) return { type = 'torch.BoolTensor', values = column.missing(c) } end, self.names, self:size(), self.rowNames)
end

--- The same as `isMissing`.
-- @function isNull
-- @param[opt] which
-- @treturn torch.BoolTensor|data.Frame
missing.isNull = missing.isMissing

--- A frame with missing values in a column, of any type, which it keeps.
-- @function setMissing
-- @tparam string|int which
-- @tparam torch.BoolTensor|torch.ByteTensor|{bool,...} mask true where the value is missing; those that are missing already stay so
-- @treturn data.Frame
-- @usage frame = frame:setMissing('count', frame.count:eq(-99))
function missing.setMissing(self, which, mask)
  local op, n = 'data.Frame:setMissing', self:size()
  local _, name = self:column(which)
  if torch.type(mask) == 'table' then
    local list = mask
    mask = torch.BoolTensor():resize(#list)
    for i, value in ipairs(list) do mask[i] = value and 1 or 0 end
  end
  check.that(torch.isTypeOf(mask, 'torch.BoolTensor') or torch.isTypeOf(mask, 'torch.ByteTensor'),
    ('%s: mask: %s, expected a BoolTensor or a list of booleans'):format(op, check.describe(mask)))
  check.that(mask:nElement() == n, ('%s: mask: %d elements, expected %d'):format(op, mask:nElement(), n))
  mask = mask:ne(0):type 'torch.BoolTensor':contiguous():view(-1)
  return self:_of(function(c, each) return each == name and column.masked(c, mask) or c end, self.names, n, self.rowNames)
end

--- A column as doubles for computations, with NaN for missing values.
-- @function numbers
-- @tparam string|int which a column of numbers, booleans (1 and 0), dates (seconds since 1970) or categories (their numbers)
-- @treturn torch.DoubleTensor
-- @usage print(torch.polyfit(frame:numbers 'length', frame:numbers 'mass', 1))
function missing.numbers(self, which)
  local _, name = self:column(which)
  local c = self:_record(name)
  check.that(c.type ~= 'text', ("data.Frame:numbers: %s: a column of texts, expected numbers; cast { %s = 'double' } makes some"):format(
    name, name))
  if c.type == 'category' then return c.values:double():maskedFill(column.missing(c), 0 / 0) end
  local x = column.doubles(c)
  return x == c.values and x:clone() or x
end

--- The rows without missing values.
-- @function dropMissing
-- @tparam[opt] string|int|{string|int,...} which columns to check; default: all
-- @tparam[opt] table options `how`: 'any' drops the rows with a missing value (default), 'all' those where all are missing; `least`: the
-- number of values that a row must have instead
-- @treturn data.Frame
function missing.dropMissing(self, which, options)
  local op = 'data.Frame:dropMissing'
  options = check.options(op, options, { 'how', 'least' })
  local how = check.choice(op, 'how', options.how or 'any', { 'any', 'all' })
  local names = self:_named(which)
  local count = torch.IntTensor():resize(self:size()):zero()
  for _, name in ipairs(names) do count:add(column.missing(self:_record(name)):int()) end
  local most = how == 'any' and 0 or #names - 1
  if options.least ~= nil then most = #names - check.int(op, 'least', options.least, { min = 0 }) end
  if #names == 0 then return self end
  return self:_taken(loops.places(count:le(most)))
end

--- The same as `dropMissing`.
-- @function dropNull
-- @param[opt] which
-- @param[opt] options
-- @treturn data.Frame
missing.dropNull = missing.dropMissing

-- The number that replaces missing values of a category; adds it to the list of categories if it is new.
local function categoryOf(where, c, value)
  check.that(type(value) == 'string', ('%s: %s, expected a text, as the column is a category'):format(where, check.describe(value)))
  for i, text in ipairs(c.categories) do
    if text == value then return i, c.categories end
  end
  check.that(not c.ordered, ('%s: %q, expected one of the categories %s'):format(where, value, table.concat(c.categories, ', ')))
  local longer = {}
  for i, text in ipairs(c.categories) do longer[i] = text end
  longer[#longer + 1] = value
  return #longer, longer
end

-- A column with one value for all that are missing.
local function filledWith(where, c, value)
  if not column.anyMissing(c) then return c end
  local mask = column.missing(c)
  if c.type == 'text' then
    check.that(type(value) == 'string', ('%s: %s, expected a text'):format(where, check.describe(value)))
    local texts, m = {}, mask:data()
    for i = 1, #c.values do
      if m[i - 1] ~= 0 then texts[i] = value else texts[i] = c.values[i] end
    end
    return { type = 'text', values = texts }
  end
  local categories
  if c.type == 'category' then
    value, categories = categoryOf(where, c, value)
  elseif c.type == 'torch.BoolTensor' then
    check.that(type(value) == 'boolean', ('%s: %s, expected a boolean'):format(where, check.describe(value)))
    value = value and 1 or 0
  elseif c.type == 'date' and type(value) == 'string' then
    value = check.that(dates.read(value), ('%s: %q, expected a date such as 2024-05-31'):format(where, value))
  else
    check.that(type(value) == 'number', ('%s: %s, expected a number'):format(where, check.describe(value)))
    if c.mask and value % 1 ~= 0 then      -- integers become doubles if the value needs it
      return { type = 'torch.DoubleTensor', values = c.values:double():maskedFill(mask, value) }
    end
  end
  return { type = c.type, values = c.values:clone():maskedFill(mask, value), categories = categories, ordered = c.ordered }
end

-- A column whose missing values are those of the row before or after, at most `limit` rows away.
local function carried(c, first, last, step, limit)
  if not column.anyMissing(c) then return c end
  local mask, n = column.missing(c), column.count(c)
  local places = loops.range(1, n)
  local m, p, run = mask:data(), places:data(), 0
  for i = first, last, step do
    if m[i] == 0 then
      run = 0
    else
      run = run + 1
      p[i] = (i == first or run > limit) and 0 or p[i - step]
    end
  end
  return column.take(c, places, n > 0 and places:min() == 0)
end

-- A column of numbers with values on the lines between those before and after; after the last one, that one.
local function interpolated(c)
  if not column.anyMissing(c) then return c end
  local x = column.doubles(c):clone()
  local p, n, last = x:data(), x:nElement(), -1
  for i = 0, n - 1 do
    if p[i] == p[i] then
      for j = last + 1, i - 1 do
        if last >= 0 then p[j] = p[last] + (p[i] - p[last]) * ((j - last) / (i - last)) end
      end
      last = i
    end
  end
  for j = last + 1, n - 1 do
    if last >= 0 then p[j] = p[last] end
  end
  return { type = c.type == 'date' and 'date' or 'torch.DoubleTensor', values = x }
end

-- A column of numbers whose missing values are a statistic of the others.
local function averaged(c, name)
  if not column.anyMissing(c) then return c end
  local groups = { codes = torch.IntTensor():resize(column.count(c)):fill(1), count = 1 }
  local value = aggregates.functions[name].call(c, groups).values[1]
  if value ~= value then return c end
  if c.type == 'date' then return filledWith('', c, value) end
  return { type = 'torch.DoubleTensor', values = column.doubles(c):clone():maskedFill(column.missing(c), value) }
end

local methods = { 'forward', 'backward', 'mean', 'median', 'interpolate', 'previous', 'next' }

-- A function that fills a column by a method.
local function filler(method, limit, n)
  if method == 'forward' or method == 'previous' then return function(c) return carried(c, 0, n - 1, 1, limit) end end
  if method == 'backward' or method == 'next' then return function(c) return carried(c, n - 1, 0, -1, limit) end end
  local change = method == 'interpolate' and interpolated or function(c) return averaged(c, method) end
  return function(c)
    if not column.isNumeric(c.type) and c.type ~= 'date' then return c end
    return change(c)
  end
end

local function isText(c) return c.type == 'text' or c.type == 'category' end

-- Whether one value for all columns is for this one.
local function isFor(c, value)
  if type(value) == 'string' then return isText(c) end
  if type(value) == 'boolean' then return c.type == 'torch.BoolTensor' end
  return column.isNumeric(c.type)
end

--- Replaces missing values. Columns keep their types, except that integers become doubles where a value needs it.
-- @function fillMissing
-- @param value a number, text or boolean for all columns of numbers, of texts and categories, or of booleans; or a table of values by
-- column, also dates such as '2024-05-31'; or nil with the option `method`
-- @tparam[opt] table options
--
-- - `method`: 'forward' (the last value above), 'backward' (the next one below); for numbers and dates 'mean', 'median' and 'interpolate'
--   (on the line between the values above and below, by row; after the last value, that one)
-- - `limit`: number of rows in a run that 'forward' and 'backward' fill (all)
-- - `columns`: names of columns; the others stay
-- @treturn data.Frame
-- @usage frame:fillMissing { length = frame:numbers('length'):nanmean(), species = 'unknown' }
-- frame:fillMissing(nil, { method = 'forward' })
function missing.fillMissing(self, value, options)
  local op = 'data.Frame:fillMissing'
  options = check.options(op, options, { 'method', 'limit', 'columns' })
  local n, chosen = self:size(), {}
  for _, name in ipairs(self:_named(options.columns)) do chosen[name] = true end
  if options.method ~= nil then
    check.that(value == nil, op .. ': value: expected nil with the option method')
    check.choice(op, 'method', options.method, methods)
    local limit = options.limit == nil and math.huge or check.int(op, 'limit', options.limit, { min = 0 })
    local change = filler(options.method, limit, n)
    return self:_of(function(c, name) return chosen[name] and change(c) or c end, self.names, n, self.rowNames)
  end
  local byName
  if type(value) == 'table' then
    byName = {}
    for name, each in pairs(value) do byName[select(2, self:column(name))] = each end
  else
    check.that(type(value) == 'number' or type(value) == 'string' or type(value) == 'boolean',
      ('%s: value: %s, expected a number, a text, a boolean or a table of these'):format(op, check.describe(value)))
  end
  return self:_of(function(c, name)
    local each = value
    if byName then each = byName[name] end
    if each == nil or not chosen[name] or not byName and not isFor(c, value) then return c end
    return filledWith(('%s: %s'):format(op, name), c, each)
  end, self.names, n, self.rowNames)
end

--- The same as `fillMissing`.
-- @function fillNull
-- @param value
-- @param[opt] options
-- @treturn data.Frame
missing.fillNull = missing.fillMissing

return missing
