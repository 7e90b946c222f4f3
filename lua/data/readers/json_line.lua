--- Encodes a value as a line of JSON (RFC 8259), from which the same value is read; what JSON lacks is an error.
-- @module data.readers.json_line
local quoted = require('torch.file.json').quote
local numberText = require 'torch.file.number_text'

local deepest = 100

-- How many places a list of a table has: the largest key, if all keys are positions and at least half of the places have values.
local function lengthOf(value)
  local count, largest = 0, 0
  for key in pairs(value) do
    if type(key) ~= 'number' or key < 1 or key % 1 ~= 0 then return nil end
    count, largest = count + 1, math.max(largest, key)
  end
  return count > 0 and largest <= math.max(2 * count, 10) and largest or nil
end

local encoded

local function object(value, null, depth)
  local names, entries = {}, {}
  for key, entry in pairs(value) do
    if type(key) ~= 'string' and type(key) ~= 'number' then
      error(('a key of the type %s, expected strings and numbers'):format(type(key)), 0)
    end
    local name = quoted(tostring(key))
    names[#names + 1], entries[name] = name, entry
  end
  table.sort(names)
  for i, name in ipairs(names) do names[i] = name .. ':' .. encoded(entries[name], null, depth) end
  return '{' .. table.concat(names, ',') .. '}'
end

local function array(value, length, null, depth)
  local parts = {}
  for i = 1, length do parts[i] = value[i] == nil and 'null' or encoded(value[i], null, depth) end
  return '[' .. table.concat(parts, ',') .. ']'
end

function encoded(value, null, depth)
  local kind = type(value)
  if value == null then return 'null' end
  if kind == 'string' then return quoted(value) end
  if kind == 'boolean' then return tostring(value) end
  if kind == 'number' then
    if value ~= value or math.abs(value) == math.huge then error(('%s, which JSON lacks'):format(tostring(value)), 0) end
    return numberText.write('Double', value)
  end
  if kind == 'cdata' and tostring(value):find '^%-?%d+U?LL$' then return numberText.write('Long', value) end
  if kind ~= 'table' then error(('a %s, expected a table, string, number or boolean'):format(kind), 0) end
  if depth > deepest then error(('more than %d tables in each other'):format(deepest), 0) end
  local length = lengthOf(value)
  if length then return array(value, length, null, depth + 1) end
  return object(value, null, depth + 1)
end

--- Encodes a value.
-- @param value a string, boolean, number, 64-bit integer or null, or a table of these: a list if all keys are positions, else an object
--   with sorted names
-- @param null the value for null
-- @treturn string
-- @raise for other values, NaN and the infinities, and more than 100 tables in each other
return function(value, null) return encoded(value, null, 1) end
