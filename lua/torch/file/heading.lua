--- The first row of a table of text: whether it has the names of columns, and which columns a program wants.
-- @module torch.file.heading
local readable = require('torch.file.delimited').readable
local band = bit.band

local heading = {}

-- Bits of types that are values: a number, a time, true or false.
local valued = bit.bor(readable.real, readable.date, readable.boolean)

-- Counts the fields of a record that are texts, values, and values in quotes; the others are missing.
local function tally(kinds)
  local found = { texts = 0, values = 0, quoted = 0, absent = 0 }
  for _, kind in ipairs(kinds) do
    local what = band(kind, readable.absent) ~= 0 and 'absent' or band(kind, valued) == 0 and 'texts'
      or band(kind, readable.quoted) ~= 0 and 'quoted' or 'values'
    found[what] = found[what] + 1
  end
  return found
end

-- Returns whether the first record has names: it has only texts, and the second record has others, too; or it has only quoted values, and
-- the second record has unquoted ones. A first record with both texts and values is data; errors in it mention the option.
local function isHeader(kinds, next)
  local first = tally(kinds)
  local isNames = first.texts > 0 and first.values + first.quoted == 0
  local inQuotes = first.texts + first.values == 0 and first.quoted > 0
  if not isNames and not inQuotes then return false end
  if not next then return isNames end
  local second = tally(next)
  return isNames and second.texts < #next or inQuotes and second.values > 0
end

-- Returns whether a first record of texts over texts can be names: they are all different, and none equals the text below it.
local function canBeNames(texts, kinds, below)
  local seen = {}
  for i, text in ipairs(texts) do
    if seen[text] or below and below[i] == text or band(kinds[i], valued + readable.absent) ~= 0 then return false end
    seen[text] = true
  end
  return true
end

-- Returns a year in the usual form as a number.
local function yearOf(text) return text:match '^%s*[12]%d%d%d%s*$' and tonumber(text) end

-- Returns the positions of the fields that are years, if they are the record's only values, rise by the same step, and the other fields are
-- texts.
local function yearsOf(texts, kinds)
  local places, others, last, step = {}, 0, nil, nil
  for i, text in ipairs(texts) do
    local year = yearOf(text)
    if year then
      if last and (year <= last or step and year - last ~= step) then return nil end
      step, last = last and year - last, year
      places[#places + 1] = i
    elseif band(kinds[i], valued) == 0 or band(kinds[i], readable.absent) ~= 0 then
      others = others + 1
    else
      return nil
    end
  end
  return #places >= 2 and others > 0 and places or nil
end

-- Returns whether the names in a first record include years: the fields below are values or missing, and no years themselves.
local function hasYears(texts, kinds, below, kindsBelow)
  local years = below and #below >= #texts and yearsOf(texts, kinds)
  if not years or yearsOf(below, kindsBelow) then return false end
  for _, place in ipairs(years) do
    if band(kindsBelow[place], valued) == 0 and band(kindsBelow[place], readable.absent) == 0 then return false end
  end
  return true
end

--- Reads the first record if it has names; otherwise leaves it unread.
-- @tparam torch.file.delimited records
-- @tparam ?bool wanted whether it has names; nil: guess
-- @tparam[opt] bool ofTexts whether columns may contain texts: then texts over texts can be names, too
-- @treturn ?{string,...} the names
-- @treturn int number of fields of the record, 0 if there is none
function heading.read(records, wanted, ofTexts)
  records:hold()
  local texts, kinds = records:record(true)
  local line = records.line
  local has = texts and wanted
  if texts and wanted == nil then
    local below, kindsBelow = records:record(true)
    has = isHeader(kinds, kindsBelow) or hasYears(texts, kinds, below, kindsBelow)
      or ofTexts and below and canBeNames(texts, kinds, below)
  end
  records:rewind()
  if has then return records:record(), #texts end
  if wanted == nil then records.doubtfulLine = line end
  return nil, texts and #texts or 0
end

--- Converts names and numbers of columns to positions that count from 0; nil means all columns.
-- @tparam torch.file.delimited records
-- @tparam ?{string,...} names
-- @int width number of columns
-- @tparam ?{string|int,...} wanted
-- @treturn {int,...} positions
function heading.choose(records, names, width, wanted)
  local chosen, places = {}, {}
  for i, name in ipairs(names or {}) do places[name] = i end
  for i = 1, wanted and #wanted or width do
    local column = wanted and wanted[i] or i
    local place = places[column] or tonumber(column)
    if place and place > width then place = places[tostring(column)] end      -- a year
    if not place or place < 1 or place > width or place % 1 ~= 0 then
      error(('columns: %s, expected the name or number of one of %d columns%s'):format(tostring(column), width,
        records.doubtfulLine and '; the option header = true takes names from the first row' or ''), 0)
    end
    chosen[i] = place - 1
  end
  return chosen
end

return heading
