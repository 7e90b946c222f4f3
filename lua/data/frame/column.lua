--- Columns of a data frame as records: `type`, `values`, `categories`, `ordered` and `mask`.
-- Missing values are NaN in floats and dates, and 0 in categories. Integers, booleans and texts have a mask instead, a BoolTensor that is
-- true where a value is missing, or nil if none is; the values there are 0, false and ''.
-- @module data.frame.column
local torch = require 'torch'
local check = require 'torch.check'
local loops = require 'data.frame.loops'
local jsonNull = require('data.readers.jsonl').null

local column = {}

local nan = 0 / 0
local floats = { ['torch.DoubleTensor'] = true, ['torch.FloatTensor'] = true, ['torch.HalfTensor'] = true, ['torch.BFloat16Tensor'] = true }

--- The number of values.
-- @tparam table c
-- @treturn int
function column.count(c) return torch.isTensor(c.values) and c.values:nElement() or #c.values end

--- Checks a column of a frame, whose tensors and lists a program can change: that it has a value for each row, of its type.
-- @tparam table c with its `name`
-- @int count of rows
-- @treturn table c
function column.checked(c, count)
  local own = torch.isTensor(c.values) and c.values:type() or type(c.values)
  local fits = own == (c.type == 'text' and 'table' or c.type)
  if c.type == 'date' then fits = floats[own] end
  if c.type == 'category' then
    fits = type(c.categories) == 'table' and own:find 'Tensor$' and not floats[own] and not own:find 'Complex'
  end
  if not fits then
    check.raise(('data.Frame: %s: a %s, expected values of the type %s'):format(tostring(c.name), own, tostring(c.type)))
  end
  local length = column.count(c)
  if length ~= count then
    check.raise(('data.Frame: %s: %d values, expected %d, one for each row of the frame'):format(tostring(c.name), length, count))
  end
  if not c.mask then return c end
  if not torch.isTypeOf(c.mask, 'torch.BoolTensor') or c.mask:nElement() ~= count then
    check.raise(('data.Frame: %s: missing values: expected a BoolTensor of %d elements'):format(tostring(c.name), count))
  end
  c.mask = c.mask:contiguous()      -- a file may have one with gaps between its elements
  return c
end

local function refuseCode(c, code)
  check.raise(('data.Frame: %s: category %s, expected a number from 0 to %d'):format(c.name or 'a column', tostring(code), #c.categories))
end

--- The numbers of a category for loops, which are places in its list of names, or 0.
-- @tparam table c
-- @treturn torch.IntTensor contiguous
-- @raise for other numbers
function column.codes(c)
  if c.values:nElement() > 0 then
    local low, high = c.values:min(), c.values:max()
    if low < 0 or high > #c.categories then refuseCode(c, low < 0 and low or high) end
  end
  return c.values:int():contiguous()
end

--- Whether a column has numbers: no texts, categories, dates or booleans.
-- @string type
-- @treturn bool
function column.isNumeric(type)
  return type ~= 'text' and type ~= 'date' and type ~= 'category' and type ~= 'torch.BoolTensor' and not type:find 'Complex'
end

--- Whether a column has integers of 64 bits that may have no equal doubles.
-- @tparam table c
-- @treturn bool
function column.isWide(c)
  if c.type ~= 'torch.LongTensor' or c.values:nElement() == 0 then return false end
  return c.values:max() > 2 ^ 53 or c.values:min() < -2 ^ 53
end

--- Refuses a column of complex numbers, which have no order.
-- @tparam table c
function column.refuseComplex(c)
  check.that(not c.type:find 'Complex',
    ('data.Frame: a column of the type %s, expected real numbers; torch.real and torch.imag have its parts'):format(c.type))
end

--- Whether a value of columns of a type represents missing ones: NaN or, in categories, 0. Other types have masks.
-- @string type
-- @treturn bool
function column.hasGaps(type) return type == 'date' or type == 'category' or floats[type] == true end

-- Whether some element of a mask is true.
local function isAny(mask) return mask:nElement() > 0 and mask:byte():max() ~= 0 end

--- The same column with further missing values.
-- @tparam table c
-- @tparam torch.BoolTensor mask true where a value is missing
-- @treturn table c itself if the mask is false everywhere
function column.masked(c, mask)
  if not isAny(mask) then return c end
  local values, own
  if column.hasGaps(c.type) then
    values = c.values:clone():maskedFill(mask, c.type == 'category' and 0 or nan)
  else
    own = c.mask and (c.mask:byte() + mask:byte()):ne(0):type 'torch.BoolTensor' or mask:type 'torch.BoolTensor':contiguous()
    if c.type == 'text' then
      values = {}
      local m = own:data()
      for i = 1, #c.values do values[i] = m[i - 1] ~= 0 and m[i - 1] ~= false and '' or c.values[i] end
    else
      values = c.values:clone():maskedFill(own, 0)
    end
  end
  return { type = c.type, values = values, categories = c.categories, ordered = c.ordered, mask = own }
end

-- The type of Lua values, which are all alike, and whether some are missing.
local function kindOf(where, values, count)
  local kind, gaps
  for i = 1, count do
    local value = values[i]
    if value == nil or value == jsonNull then
      gaps = true
    else
      kind = kind or type(value)
      check.that(type(value) == kind, ('%s[%d]: a %s after values of the type %s'):format(where, i, type(value), kind))
    end
  end
  return kind, gaps
end

local function filled(values, count, absent, convert)
  local list = {}
  for i = 1, count do
    local value = values[i]
    if value == nil or value == jsonNull then list[i] = absent else list[i] = convert and convert(value) or value end
  end
  return list
end

-- A mask of the missing values of a list.
local function gapsOf(values, count)
  local mask = torch.BoolTensor(count):zero()
  local m = mask:data()
  for i = 1, count do
    if values[i] == nil or values[i] == jsonNull then m[i - 1] = 1 end
  end
  return mask
end

local function tensorOf(class, list) return #list > 0 and class(list) or class():resize(0) end

--- Makes a column from a list of numbers, texts or booleans; nil and `data.jsonl.null` are missing values.
-- @string where begins messages, with the name of the column
-- @tparam table values
-- @int[opt] count of values
-- @treturn table
function column.ofList(where, values, count)
  count = count or #values
  local kind, gaps = kindOf(where, values, count)
  if kind == 'number' then
    return { type = 'torch.DoubleTensor', values = tensorOf(torch.DoubleTensor, gaps and filled(values, count, nan) or values) }
  elseif kind == 'boolean' then
    local x = tensorOf(torch.DoubleTensor, filled(values, count, 0, function(value) return value and 1 or 0 end))
    return { type = 'torch.BoolTensor', values = x:type 'torch.BoolTensor', mask = gaps and gapsOf(values, count) or nil }
  end
  check.that(kind == 'string' or kind == nil,
    ('%s: a list of the type %s, expected numbers, texts or booleans'):format(where, tostring(kind)))
  if not gaps then return { type = 'text', values = values } end
  return { type = 'text', values = filled(values, count, ''), mask = gapsOf(values, count) }
end

--- Makes a column from a program's values.
-- @string where begins messages, with the name of the column
-- @param values a vector, a list as for `ofList`, or a frame of one column, whose type and categories stay
-- @treturn table
function column.of(where, values)
  if torch.isTensor(values) then
    check.that(values:dim() == 1 or values:nElement() == 0, ('%s: %d dimensions, expected a vector'):format(where, values:dim()))
    return { type = values:type(), values = values }
  elseif torch.type(values) == 'data.Frame' then
    check.that(#values.names == 1, ('%s: a frame of %d columns, expected one of a single column'):format(where, #values.names))
    return values:_record(values.names[1])
  end
  check.that(torch.type(values) == 'table', ('%s: %s, expected a vector, a list or a frame of one column'):format(where,
    check.describe(values)))
  return column.ofList(where, values)
end

local function isMasked(c, i)
  local mask = c.mask
  if not mask then return false end
  local value = mask[i]
  return value ~= false and value ~= 0
end

--- A value as Lua has it: a number, a text or a boolean; of a category its number. A missing number is NaN, a missing text '', a missing
-- boolean nil, a missing category 0.
-- @tparam table c
-- @int i
function column.raw(c, i)
  if isMasked(c, i) then
    if c.type == 'text' then return '' end
    return column.isNumeric(c.type) and nan or nil
  end
  local value = c.values[i]
  if c.type == 'torch.BoolTensor' then return value ~= 0 and value ~= false end
  return value
end

--- A value as in `raw`, but a category by its name and a missing value as nil.
-- @tparam table c
-- @int i
function column.value(c, i)
  if isMasked(c, i) then return nil end
  local value = column.raw(c, i)
  if c.type == 'category' then
    local name = c.categories[value]
    if name == nil and value ~= 0 then refuseCode(c, value) end
    return name
  end
  if value ~= value then return nil end
  return value
end

--- A mask of the missing values.
-- @tparam table c
-- @treturn torch.BoolTensor
function column.missing(c)
  if c.type == 'category' then return c.values:eq(0):type 'torch.BoolTensor' end
  if column.hasGaps(c.type) then return c.values:ne(c.values):type 'torch.BoolTensor' end
  return c.mask or torch.BoolTensor():resize(column.count(c)):zero()
end

--- Whether a column has missing values.
-- @tparam table c
-- @treturn bool
function column.anyMissing(c) return not (not column.hasGaps(c.type) and not c.mask) and isAny(column.missing(c)) end

-- Texts at the places of an IntTensor; 0 is a missing text.
local function textsAt(list, indices)
  local texts, p = {}, indices:data()
  for j = 1, indices:nElement() do texts[j] = list[p[j - 1]] or '' end
  return texts
end

-- The mask at the places of an IntTensor; 0 is missing. Nil if nothing is.
local function maskAt(mask, indices, gaps)
  if indices:nElement() == 0 then return nil end
  local found
  if mask and mask:nElement() > 0 then
    local places = indices:long()
    found = mask:index(1, gaps and places:clone():clamp(1, math.huge) or places)
    if gaps then found:maskedFill(places:eq(0), 1) end
  else
    found = indices:eq(0):type 'torch.BoolTensor'
  end
  return isAny(found) and found or nil
end

--- The values at some places.
-- @tparam table c
-- @tparam torch.IntTensor indices contiguous, from 1; 0 is a missing value
-- @bool gaps whether there may be a 0
-- @tparam[opt] torch.LongTensor longs the same places
-- @treturn table
function column.take(c, indices, gaps, longs)
  local values
  local absent = c.type == 'category' and 0 or column.hasGaps(c.type) and nan or 0
  if c.type == 'text' then
    values = textsAt(c.values, indices)
  elseif indices:nElement() == 0 then
    values = c.values.new():resize(0)
  elseif column.count(c) == 0 then
    values = c.values.new():resize(indices:nElement()):fill(absent)
  else
    local places = longs or indices:long()
    values = c.values:index(1, gaps and places:clone():clamp(1, math.huge) or places)
    if gaps then values:maskedFill(places:eq(0), absent) end
  end
  local mask = not column.hasGaps(c.type) and (c.mask or gaps) and maskAt(c.mask, indices, gaps) or nil
  return { type = c.type, values = values, categories = c.categories, ordered = c.ordered, mask = mask }
end

--- A column of `count` missing values with the type of another.
-- @tparam table c
-- @int count
-- @treturn table
function column.gap(c, count) return column.take(c, torch.IntTensor():resize(count):zero(), true) end

--- The texts of a category; '' for missing values.
-- @tparam table c
-- @treturn table a column of texts
function column.texts(c)
  local missing = column.missing(c)
  return { type = 'text', values = textsAt(c.categories, column.codes(c)), mask = isAny(missing) and missing or nil }
end

local function sameCategories(first, second)
  if #first ~= #second then return false end
  for i, text in ipairs(first) do
    if second[i] ~= text then return false end
  end
  return true
end

-- Categories of several columns with a common list: that of the first, followed by texts that only others have.
local function united(list)
  local names, places = {}, {}
  local parts = {}
  for j, c in ipairs(list) do
    local to = torch.LongTensor(#c.categories + 1):zero()
    for i, text in ipairs(c.categories) do
      if not places[text] then
        names[#names + 1] = text
        places[text] = #names
      end
      to[i + 1] = places[text]
    end
    local codes = column.codes(c):long()
    parts[j] = { type = 'category', values = column.count(c) > 0 and to:index(1, codes + 1) or c.values, categories = names }
  end
  return parts
end

-- Columns with one type that fits all of them.
local function alike(where, list)
  local first, same = list[1], true
  for _, c in ipairs(list) do same = same and c.type == first.type end
  if same and first.type == 'category' then
    for _, c in ipairs(list) do
      column.codes(c)
      if not sameCategories(c.categories, first.categories) then return united(list) end
    end
  end
  if same then return list end
  local parts, texts = {}, false
  for _, c in ipairs(list) do texts = texts or c.type == 'text' or c.type == 'category' end
  for j, c in ipairs(list) do
    if c.type == 'category' then c = column.texts(c) end
    check.that((c.type == 'text') == texts and (c.type == 'date') == (first.type == 'date'),
      ('%s: a column of %s and one of %s, expected the same kind of values'):format(where, first.type, list[j].type))
    parts[j] = (texts or c.type == 'date') and c or { type = 'torch.DoubleTensor', values = column.doubles(c) }
  end
  return parts
end

--- Columns below each other.
-- @string where begins messages, with the name of the column
-- @tparam {table,...} list columns of one type, of several types of numbers or booleans (which become doubles), or of texts and
-- categories (texts)
-- @treturn table
function column.concat(where, list)
  if #list == 1 then return list[1] end
  local parts = alike(where, list)
  local values, mask
  if parts[1].type == 'text' then
    values = {}
    for _, c in ipairs(parts) do
      local at = #values
      for i = 1, #c.values do values[at + i] = c.values[i] end
    end
  else
    local tensors = {}
    for _, c in ipairs(parts) do
      if c.values:nElement() > 0 then tensors[#tensors + 1] = c.values end
    end
    values = #tensors == 0 and parts[1].values or torch.cat(tensors, 1)
  end
  local masks, isMissing = {}, false
  for _, c in ipairs(parts) do
    isMissing = isMissing or c.mask ~= nil
    if column.count(c) > 0 then masks[#masks + 1] = column.missing(c) end
  end
  if isMissing then mask = torch.cat(masks, 1) end
  return { type = parts[1].type, values = values, categories = parts[1].categories, ordered = parts[1].ordered, mask = mask }
end

--- The numbers of a column as doubles, with NaN for missing values; of a category its numbers.
-- @tparam table c no texts
-- @treturn torch.DoubleTensor contiguous; the column's own if it is one
function column.doubles(c)
  column.refuseComplex(c)
  local x = loops.doubles(c.values)
  if not c.mask then return x end
  return x:clone():maskedFill(c.mask, nan)
end

--- The numbers of a column for loops: a contiguous LongTensor for integers without missing values and for categories, a DoubleTensor for
-- all others.
-- @tparam table c no texts
-- @treturn torch.LongTensor|torch.DoubleTensor
function column.numbers(c)
  column.refuseComplex(c)
  if c.mask then return column.doubles(c) end
  if column.hasGaps(c.type) and c.type ~= 'category' then return loops.doubles(c.values) end
  return c.values:long():contiguous()
end

return column
