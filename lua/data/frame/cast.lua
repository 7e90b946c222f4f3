--- Converts columns of data frames to other types.
-- @module data.frame.cast
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local dates = require 'data.frame.dates'
local numberText = require 'torch.file.number_text'
local typeName = require 'torch.class.type_name'

local nan, mostKnown = 0 / 0, 10000
local missingWords = { [''] = true, na = true, ['n/a'] = true, ['#n/a'] = true, nan = true, null = true, none = true, ['<na>'] = true }

-- A vector of the values of a function of each text; missing texts, and the words for missing values in files, become NaN.
local function parsed(where, c, read, expected)
  local n = #c.values
  local x = torch.DoubleTensor():resize(n)
  local p, m, known, count = x:data(), c.mask and c.mask:data(), {}, 0      -- texts often repeat
  for i = 1, n do
    local text = c.values[i]
    local value
    if not m or m[i - 1] == 0 then
      value = known[text]
      if value == nil then
        value = read(text)
        if count < mostKnown then known[text], count = value, count + 1 end
      end
    end
    if value == nil then
      check.that(missingWords[text:lower()], ('%s[%d]: %q, expected %s'):format(where, i, text, expected))
      value = nan
    end
    p[i - 1] = value
  end
  return x
end

local function boolean(text)
  local word = text:lower()
  if word == 'true' or word == '1' then return 1 end
  if word == 'false' or word == '0' then return 0 end
end

-- The text of a value of a column that has no texts.
local function textOf(c, i)
  local value = column.value(c, i)
  if value == nil then return '' end
  if c.type == 'date' then return dates.text(value) end
  if type(value) == 'number' then return numberText.write('Double', value) end
  return (tostring(value):gsub('U?LL$', ''))
end

local function toTexts(c)
  if c.type == 'text' then return c end
  if c.type == 'category' then return column.texts(c) end
  local texts = {}
  for i = 1, column.count(c) do texts[i] = textOf(c, i) end
  return { type = 'text', values = texts, mask = column.anyMissing(c) and column.missing(c) or nil }
end

local mostListed = 20

-- The first names of a list.
local function listed(names)
  return table.concat(names, ', ', 1, math.min(#names, mostListed)) .. (#names > mostListed and ', ...' or '')
end

-- Categories in order of occurrence, or from a list of all that are allowed.
local function toCategory(where, c, names)
  if c.type == 'category' and not names then return c end
  c = toTexts(c)
  local texts, m = c.values, c.mask and c.mask:data()
  local found, places, n = {}, {}, #texts
  for i, name in ipairs(names or {}) do found[i], places[name] = check.text(where, 'categories', name), i end
  local codes = torch.LongTensor():resize(n)
  local p = codes:data()
  for i = 1, n do
    local text = texts[i]
    local place = places[text]
    if m and m[i - 1] ~= 0 then
      place = 0
    elseif not place then
      if names then check.raise(('%s[%d]: %q, expected one of the categories %s'):format(where, i, text, listed(found))) end
      place = #found + 1
      found[place], places[text] = text, place
    end
    p[i - 1] = place
  end
  return { type = 'category', values = codes, categories = found, ordered = names and true or nil }
end

local function toDate(where, c, format)
  if c.type == 'date' then return c end
  if column.isNumeric(c.type) then return { type = 'date', values = dates.allChecked(where, column.doubles(c)) } end
  check.that(c.type ~= 'torch.BoolTensor', ('%s: booleans, expected texts or seconds since 1970'):format(where))
  local read = dates.read
  if format then
    local letter
    read, letter = dates.reader(check.text(where, 'format', format))
    check.that(read, ('%s: format: %q has %s, expected %%Y, %%y, %%m, %%b, %%d, %%H, %%M, %%S, and a year'):format(where, format,
      letter == 'no year' and letter or '%' .. tostring(letter)))
  end
  return { type = 'date', values = parsed(where, toTexts(c), read, ('a date such as %s'):format(format or '2024-05-31')) }
end

local ranges = {}
for _, info in ipairs(require('libmoontorch').dtypes) do
  local bits = 8 * info.size
  if info.kind == 'unsigned integer' then ranges['torch.' .. info.torch .. 'Tensor'] = { 0, 2 ^ bits - 1 } end
  if info.kind == 'signed integer' then ranges['torch.' .. info.torch .. 'Tensor'] = { -2 ^ (bits - 1), 2 ^ (bits - 1) - 1 } end
end

-- Refuses numbers that a type of integers would change.
local function checkFit(where, x, type)
  local range = ranges[type]
  if not range or x:nElement() == 0 then return end
  local _, place
  if column.hasGaps(x:type()) then
    local wrong = torch.ne(x, torch.floor(x))
    if wrong:max() ~= 0 then
      _, place = torch.max(wrong:byte(), 1)
      check.raise(('%s[%d]: %s, expected a whole number'):format(where, place[1], tostring(x[place[1]])))
    end
  end
  local low, high = x:min(), x:max()
  check.that(low >= range[1] and high <= range[2], ('%s: %s, expected numbers from %.0f to %.0f for a %s'):format(where,
    tostring(low < range[1] and low or high), range[1], range[2], type))
end

local function toNumbers(where, c, type)
  local x, mask = c.values, column.anyMissing(c) and column.missing(c) or nil
  if c.type == 'text' or c.type == 'category' then
    local isBool = type == 'torch.BoolTensor'
    x = parsed(where, toTexts(c), isBool and boolean or tonumber, isBool and 'true or false' or 'a number')
    mask = x:ne(x):type 'torch.BoolTensor'
    if x:nElement() == 0 or mask:byte():max() == 0 then mask = nil end
  end
  if column.hasGaps(type) then
    x = x:type(type)
    return { type = type, values = mask and x:clone():maskedFill(mask, nan) or x }
  end
  if mask then x = x:clone():maskedFill(mask, 0) end
  if type == 'torch.BoolTensor' then return { type = type, values = x:ne(0):type(type), mask = mask } end
  if c.type ~= 'torch.BoolTensor' then checkFit(where, x, type) end
  return { type = type, values = x:type(type), mask = mask }
end

--- Converts a column.
-- @string where begins messages, with the name of the column
-- @tparam table c
-- @param type a tensor's type ('int', 'torch.FloatTensor', 'bool', ...), 'text', 'category', a list of all categories, 'date' (from texts
-- in ISO 8601 or seconds since 1970) or `{ date = format }`
-- @treturn table
-- @raise if a value has no equivalent
return function(where, c, type)
  if torch.type(type) == 'table' then
    if type.date then return toDate(where, c, type.date) end
    return toCategory(where, c, type)
  end
  if type == 'text' then return toTexts(c) end
  if type == 'category' then return toCategory(where, c) end
  if type == 'date' then return toDate(where, c) end
  local name = torch.type(type) == 'string' and typeName(type)
  check.that(name, ("%s: %s, expected a type of tensors, 'text', 'category', 'date', a list of categories or { date = format }"):format(
    where, check.describe(type)))
  return toNumbers(where, c, name)
end
