--- Columns of a data frame as records: `type`, `values`, `categories` and `ordered`.
-- Missing values are NaN in floats and dates, 0 in categories, and the words of `column.isMissingText` in texts. Integers and booleans have
-- none: a column of these becomes one of doubles (1 and 0 for booleans) where an operation leaves gaps.
-- @module data.frame.column
local torch = require 'torch'
local check = require 'torch.check'
local loops = require 'data.frame.loops'
local jsonNull = require('data.readers.jsonl').null

local column = {}

local nan = 0 / 0
local missingWords = { [''] = true, na = true, ['n/a'] = true, ['#n/a'] = true, nan = true, null = true, none = true, ['<na>'] = true }
local floats = { ['torch.DoubleTensor'] = true, ['torch.FloatTensor'] = true, ['torch.HalfTensor'] = true, ['torch.BFloat16Tensor'] = true }

--- Whether a text represents a missing value: an empty one, NA, N/A, #N/A, NaN, null, none or <NA> in any case.
-- @string text
-- @treturn bool
function column.isMissingText(text) return #text <= 4 and missingWords[text:lower()] == true end

--- The number of values.
-- @tparam table c
-- @treturn int
function column.count(c) return torch.isTensor(c.values) and c.values:nElement() or #c.values end

--- Whether a column has numbers: no texts, categories, dates or booleans.
-- @string type
-- @treturn bool
function column.isNumeric(type) return type ~= 'text' and type ~= 'date' and type ~= 'category' and type ~= 'torch.BoolTensor' end

--- Whether columns of a type can have missing values as they are.
-- @string type
-- @treturn bool
function column.hasGaps(type) return type == 'text' or type == 'date' or type == 'category' or floats[type] == true end

--- The same column with a type that can have missing values.
-- @tparam table c
-- @treturn table
function column.withGaps(c)
  if column.hasGaps(c.type) then return c end
  return { type = 'torch.DoubleTensor', values = c.values:double() }
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
    local numbers = filled(values, count, nan, function(value) return value and 1 or 0 end)
    local x = tensorOf(torch.DoubleTensor, numbers)
    return gaps and { type = 'torch.DoubleTensor', values = x } or { type = 'torch.BoolTensor', values = x:type 'torch.BoolTensor' }
  end
  check.that(kind == 'string' or kind == nil,
    ('%s: a list of the type %s, expected numbers, texts or booleans'):format(where, tostring(kind)))
  return { type = 'text', values = gaps and filled(values, count, '') or values }
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

--- A value as Lua has it: a number, a text or a boolean; of a category its number.
-- @tparam table c
-- @int i
function column.raw(c, i)
  local value = c.values[i]
  if c.type == 'torch.BoolTensor' then return value ~= 0 and value ~= false end
  return value
end

--- A value as in `raw`, but a category by its name and a missing value as nil.
-- @tparam table c
-- @int i
function column.value(c, i)
  local value = column.raw(c, i)
  if c.type == 'category' then return c.categories[value] end
  if c.type == 'text' then return not column.isMissingText(value) and value or nil end
  if value ~= value then return nil end
  return value
end

--- A mask of the missing values.
-- @tparam table c
-- @treturn torch.BoolTensor
function column.missing(c)
  local n = column.count(c)
  if c.type == 'category' then return c.values:eq(0):type 'torch.BoolTensor' end
  if c.type ~= 'text' then return c.values:ne(c.values):type 'torch.BoolTensor' end
  local mask = torch.BoolTensor(n):zero()
  if n == 0 then return mask end
  local p, known = mask:data(), {}
  for i = 1, n do
    local text = c.values[i]
    local is = known[text]
    if is == nil then
      is = column.isMissingText(text) and 1 or 0
      known[text] = is
    end
    p[i - 1] = is
  end
  return mask
end

-- Texts at the places of an IntTensor; 0 is a missing text.
local function textsAt(list, indices)
  local texts, p = {}, indices:data()
  for j = 1, indices:nElement() do texts[j] = list[p[j - 1]] or '' end
  return texts
end

--- The values at some places.
-- @tparam table c
-- @tparam torch.IntTensor indices contiguous, from 1; 0 is a missing value
-- @bool gaps whether there may be a 0
-- @treturn table
function column.take(c, indices, gaps)
  if gaps then c = column.withGaps(c) end
  local values
  if c.type == 'text' then
    values = textsAt(c.values, indices)
  elseif indices:nElement() == 0 then
    values = c.values.new():resize(0)
  elseif column.count(c) == 0 then
    values = c.values.new():resize(indices:nElement()):fill(c.type == 'category' and 0 or nan)
  else
    local places = indices:long()
    values = c.values:index(1, gaps and places:clone():clamp(1, math.huge) or places)
    if gaps then values:maskedFill(places:eq(0), c.type == 'category' and 0 or nan) end
  end
  return { type = c.type, values = values, categories = c.categories, ordered = c.ordered }
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
  return { type = 'text', values = textsAt(c.categories, c.values:int():contiguous()) }
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
    parts[j] = { type = 'category', values = column.count(c) > 0 and to:index(1, c.values + 1) or c.values, categories = names }
  end
  return parts
end

-- Columns with one type that fits all of them.
local function alike(where, list)
  local first, same = list[1], true
  for _, c in ipairs(list) do same = same and c.type == first.type end
  if same and first.type == 'category' then
    for _, c in ipairs(list) do
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
    parts[j] = (texts or c.type == 'date') and c or { type = 'torch.DoubleTensor', values = c.values:double() }
  end
  return parts
end

--- Columns below each other.
-- @string where begins messages, with the name of the column
-- @tparam {table,...} list columns of one type, of several types of numbers (which become doubles), or of texts and categories (texts)
-- @treturn table
function column.concat(where, list)
  if #list == 1 then return list[1] end
  local parts = alike(where, list)
  local values
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
  return { type = parts[1].type, values = values, categories = parts[1].categories, ordered = parts[1].ordered }
end

--- The numbers of a column for loops: a contiguous LongTensor for integers and categories, a DoubleTensor for all others.
-- @tparam table c no texts
-- @treturn torch.LongTensor|torch.DoubleTensor
function column.numbers(c)
  if column.hasGaps(c.type) and c.type ~= 'category' then return loops.doubles(c.values) end
  return c.values:long():contiguous()
end

return column
