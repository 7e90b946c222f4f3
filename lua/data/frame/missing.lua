--- Missing values of a data frame. Methods of `data.Frame`.
-- @module data.frame.missing
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local loops = require 'data.frame.loops'

local missing = {}

--- Where values are missing: NaN in floats and dates, 0 in categories, and in texts '', NA, N/A, NaN, null, none.
-- @function isNull
-- @tparam[opt] string|int which a column; default: all
-- @treturn torch.BoolTensor|data.Frame the mask of the column, or a frame of the masks of all columns
-- @usage print(frame:isNull('length'):sum())
function missing.isNull(self, which)
  if which ~= nil then return column.missing(self:_record(select(2, self:column(which)))) end
  return self:_of(function(c) return { type = 'torch.BoolTensor', values = column.missing(c) } end, self.names, self:size(), self.rowNames)
end

--- The rows without missing values.
-- @function dropNull
-- @tparam[opt] string|int|{string|int,...} which columns to check; default: all
-- @treturn data.Frame
function missing.dropNull(self, which)
  local mask = torch.ByteTensor():resize(self:size()):zero()
  for _, name in ipairs(self:_named(which)) do mask:add(column.missing(self:_record(name)):byte()) end
  return self:_taken(loops.places(mask:eq(0)))
end

--- The same as `dropNull`.
-- @function dropMissing
-- @param[opt] which
-- @treturn data.Frame
missing.dropMissing = missing.dropNull

-- The number that replaces missing values of a category; adds it to the list of categories if it is new.
local function categoryOf(where, c, value)
  check.that(type(value) == 'string', ('%s: %s, expected a text, as the column is a category'):format(where, check.describe(value)))
  for i, text in ipairs(c.categories) do
    if text == value then return i, c.categories end
  end
  check.that(not c.ordered, ('%s: %q, expected one of the categories %s'):format(where, value, table.concat(c.categories, ', ')))
  local longer = { unpack(c.categories) }
  longer[#longer + 1] = value
  return #longer, longer
end

-- A column with one value for all that are missing.
local function filledWith(where, c, value)
  local mask = column.missing(c)
  if mask:nElement() == 0 or mask:max() == 0 or mask:max() == false then return c end
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
  else
    if type(value) == 'boolean' then value = value and 1 or 0 end
    check.that(type(value) == 'number', ('%s: %s, expected a number'):format(where, check.describe(value)))
  end
  return { type = c.type, values = c.values:clone():maskedFill(mask, value), categories = categories, ordered = c.ordered }
end

-- A column whose missing values are those of the row before or after.
local function carried(c, first, last, step)
  local mask, n = column.missing(c), column.count(c)
  local places = loops.range(1, n)
  local m, p = mask:data(), places:data()
  for i = first, last, step do
    if m[i] ~= 0 then p[i] = i == first and 0 or p[i - step] end
  end
  local gaps = n > 0 and places:min() == 0
  return column.take(c, places, gaps)
end

--- Replaces missing values.
-- @function fillNull
-- @param value a number or text for all columns of numbers or of texts and categories; a table of values by column; or 'previous' or
-- 'next' in the options
-- @tparam[opt] table options `method = 'previous'` or `'next'`: the last value above, or the next below, with `value` nil
-- @treturn data.Frame
-- @usage frame:fillNull { length = frame:mean 'length', species = 'unknown' }
-- frame:fillNull(nil, { method = 'previous' })
function missing.fillNull(self, value, options)
  local op = 'data.Frame:fillNull'
  local method = check.options(op, options, { 'method' }).method
  local n = self:size()
  if method ~= nil then
    check.choice(op, 'method', method, { 'previous', 'next' })
    return self:_of(function(c)
      if method == 'previous' then return carried(c, 0, n - 1, 1) end
      return carried(c, n - 1, 0, -1)
    end, self.names, n, self.rowNames)
  end
  local byName
  if type(value) == 'table' then
    byName = {}
    for name, each in pairs(value) do byName[select(2, self:column(name))] = each end
  else
    check.that(type(value) == 'number' or type(value) == 'string', ('%s: value: %s, expected a number, a text or a table of these'):format(
      op, check.describe(value)))
  end
  return self:_of(function(c, name)
    local each = value
    if byName then
      each = byName[name]
      if each == nil then return c end
    elseif (type(value) == 'string') ~= (c.type == 'text' or c.type == 'category') then
      return c
    end
    return filledWith(('%s: %s'):format(op, name), c, each)
  end, self.names, n, self.rowNames)
end

return missing
