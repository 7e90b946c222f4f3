--- Types of columns: given by a program, inferred from rows, as requested from the library, and as shown in messages.
-- A type is the name of a tensor type, 'date', 'text', 'category', a list of all allowed categories, or `{ date = format }`, which is read
-- as text and then cast.
-- @module data.readers.column_types
local torch = require 'torch'
local check = require 'torch.check'
local message = require 'torch.check.message'
local readable = require('torch.file.delimited').readable
local typeName = require 'torch.class.type_name'

local types = {}

local ranges = { ['torch.ByteTensor'] = { 0, 255 }, ['torch.CharTensor'] = { -128, 127 }, ['torch.ShortTensor'] = { -32768, 32767 },
                 ['torch.IntTensor'] = { -2 ^ 31, 2 ^ 31 - 1 }, ['torch.LongTensor'] = {} }
local reals = { ['torch.FloatTensor'] = true, ['torch.DoubleTensor'] = true, ['torch.HalfTensor'] = true, ['torch.BFloat16Tensor'] = true }
local special = { date = true, text = true, category = true }
local kindOf = { date = 'date', text = 'text', category = 'category', ['torch.BoolTensor'] = 'boolean' }

-- From the narrowest type on; all bits are set if there was no field.
local inferred = {
  { readable.boolean, 'torch.BoolTensor' }, { readable.integer, 'torch.LongTensor' }, { readable.real, 'torch.DoubleTensor' },
  { readable.date, 'date' }, { readable.text, 'text' },
}

--- The narrowest type that all fields could be read as.
-- @int bits of `readable`
function types.ofReadable(bits)
  if bit.band(bits, readable.boolean) ~= 0 and bit.band(bits, readable.integer) ~= 0 then return 'torch.DoubleTensor' end
  for _, each in ipairs(inferred) do
    if bit.band(bits, each[1]) ~= 0 then return each[2] end
  end
end

--- The name of a type in messages: as a program would write it.
function types.shown(type)
  if torch.type(type) == 'table' then return 'a category' end
  return type:lower():match '^torch%.(%l+)tensor$' or type
end

-- Converts a type from a program.
local function named(op, where, type)
  if torch.type(type) == 'table' then
    if type.date ~= nil then return { date = check.text(op, where .. '.date', type.date) } end
    for i, text in ipairs(type) do check.text(op, ('%s[%d]'):format(where, i), text) end
    return type
  end
  if special[type] then return type end
  local name = typeName(type)
  check.that(kindOf[name] or ranges[name] or reals[name],
    ("%s: %s: %s, expected a type of tensors, 'date', 'category', 'text' or a list of categories"):format(op, where, message.value(type)))
  return name
end

--- The types that a program sets, in the order of the columns that are read.
-- @string op
-- @param given one type for all columns, or a table by names or numbers of columns
-- @tparam ?{string,...} header
-- @tparam {int,...} places of the columns, from 0
-- @int width number of columns in the file
-- @treturn table
function types.given(op, given, header, places, width)
  local found, byPlace = {}, {}
  if given == nil then return found end
  for i, place in ipairs(places) do byPlace[place + 1] = i end
  if type(given) ~= 'table' then
    for i = 1, #places do found[i] = named(op, 'types', given) end
    return found
  end
  local byName = {}
  for place, name in ipairs(header or {}) do byName[name] = place end
  for column, type in pairs(given) do
    local place = byName[column] or tonumber(column) or tonumber(tostring(column):match '^var_(%d+)$')
    if not place or place < 1 or place > width then
      error(('types: %s, expected the name or number of one of %d columns'):format(tostring(column), width), 0)
    end
    if byPlace[place] then found[byPlace[place]] = named(op, ('types.%s'):format(tostring(column)), type) end
  end
  return found
end

--- The format of a column of dates that has one.
-- @param type
-- @treturn ?string
function types.format(type) return torch.type(type) == 'table' and type.date or nil end

--- The library's description of a column with this type.
-- @param type
-- @int place of the fields, from 0
-- @tparam ?number missing value for missing numbers
function types.column(type, place, missing)
  if types.format(type) then type = 'text' end
  if torch.type(type) == 'table' then return { place = place, kind = 'category', names = type, closed = true } end
  local range = ranges[type] or {}
  local kind = kindOf[type] or reals[type] and 'real' or 'integer'
  return { place = place, kind = kind, low = range[1], high = range[2], missing = missing, gaps = true }
end

local words = { date = 'a date', ['torch.BoolTensor'] = 'true or false' }

--- The expected value of a field with this type, in words.
-- @param type
-- @string what kind of error: 'value' or 'range'
function types.words(type, what)
  if torch.type(type) == 'table' then
    local shown = table.concat(type, ', ', 1, math.min(#type, 6))
    return ('one of the categories %s%s'):format(shown, #type > 6 and ', ...' or '')
  end
  local word = words[type] or reals[type] and 'a number' or 'an integer of 64 bits'
  if what == 'range' then return ('an integer from %d to %d for a %s'):format(ranges[type][1], ranges[type][2], type) end
  return word
end

--- Converts the library's values to a column of this type.
-- @param type
-- @tparam torch.LongStorage|torch.DoubleStorage|table values
function types.finish(type, values)
  if not torch.isStorage(values) then return values end
  local x = torch.isTypeOf(values, 'torch.LongStorage') and torch.LongTensor(values) or torch.DoubleTensor(values)
  local isTensorType = torch.type(type) == 'string' and not special[type]
  return isTensorType and x:type(type) or x
end

return types
