--- JSON (RFC 8259), as strict as file headers require: no duplicate keys, limited nesting, errors with positions.
-- @module torch.file.json
local damage = require 'torch.file.damage'
local utf8 = require('torch.file.utf8').char

local json = {}

local deepest = 32
local escapes = { ['"'] = '"', ['\\'] = '\\', ['/'] = '/', b = '\b', f = '\f', n = '\n', r = '\r', t = '\t' }

--- The value for null.
json.null = setmetatable({}, { __tostring = function() return 'null' end })

local function fail(state, at, expected)
  local found = at > #state.text and 'the end of the text' or ('%q'):format(state.text:sub(at, at + 20))
  damage.raise(state.first + at, expected, found)
end

local function skip(state, at) return state.text:find('[^ \t\r\n]', at) or #state.text + 1 end

-- Reads \uXXXX at `at`, or a surrogate pair; returns the character and the position after it.
local function readUnicode(state, at)
  local code = tonumber(state.text:match('^\\u(%x%x%x%x)', at) or fail(state, at, 'four hexadecimal digits'), 16)
  if code < 0xd800 or code > 0xdfff then return utf8(code), at + 6 end
  local low = tonumber(state.text:match('^\\u(%x%x%x%x)', at + 6) or '0', 16)
  if code > 0xdbff or low < 0xdc00 or low > 0xdfff then fail(state, at, 'a pair of surrogates') end
  return utf8(0x10000 + (code - 0xd800) * 1024 + low - 0xdc00), at + 12
end

local function readString(state, at)
  local parts, place = {}, at + 1
  while true do
    local plain, stop = state.text:match('^([^"\\%z\1-\31]*)()', place)
    parts[#parts + 1] = plain
    local c = state.text:sub(stop, stop)
    if c == '"' then return table.concat(parts), stop + 1 end
    if c ~= '\\' then fail(state, stop, 'the rest of a string') end
    local escaped = state.text:sub(stop + 1, stop + 1)
    if escaped == 'u' then
      parts[#parts + 1], place = readUnicode(state, stop)
    else
      parts[#parts + 1], place = escapes[escaped] or fail(state, stop, 'an escape'), stop + 2
    end
  end
end

local readValue

local function readArray(state, at, depth)
  local list, count, place = {}, 0, skip(state, at + 1)
  if state.text:sub(place, place) == ']' then return list, place + 1 end
  while true do
    count = count + 1
    list[count], place = readValue(state, place, depth)
    place = skip(state, place)
    local c = state.text:sub(place, place)
    if c == ']' then return list, place + 1 end
    if c ~= ',' then fail(state, place, 'a comma or ]') end
    place = skip(state, place + 1)
  end
end

local function readObject(state, at, depth)
  local object, place = {}, skip(state, at + 1)
  if state.text:sub(place, place) == '}' then return object, place + 1 end
  while true do
    if state.text:sub(place, place) ~= '"' then fail(state, place, 'a key') end
    local key, afterKey = readString(state, place)
    if object[key] ~= nil then fail(state, place, 'a key that is not there yet') end
    place = skip(state, afterKey)
    if state.text:sub(place, place) ~= ':' then fail(state, place, 'a colon') end
    object[key], place = readValue(state, skip(state, place + 1), depth)
    place = skip(state, place)
    local c = state.text:sub(place, place)
    if c == '}' then return object, place + 1 end
    if c ~= ',' then fail(state, place, 'a comma or }') end
    place = skip(state, place + 1)
  end
end

local words = { ['true'] = true, ['false'] = false, null = json.null }

function readValue(state, at, depth)
  if depth > deepest then fail(state, at, ('at most %d levels'):format(deepest)) end
  local c = state.text:sub(at, at)
  if c == '"' then return readString(state, at) end
  if c == '{' then return readObject(state, at, depth + 1) end
  if c == '[' then return readArray(state, at, depth + 1) end
  local number, stop = state.text:match('^(%-?%d+%.?%d*[eE]?[+-]?%d*)()', at)
  if number and tonumber(number) and not number:find '^%-?0%d' then return tonumber(number), stop end
  local word, after = state.text:match('^(%a+)()', at)
  if word and words[word] ~= nil then return words[word], after end
  fail(state, at, 'a value')
end

--- Decodes a text; objects and arrays become tables, null becomes `json.null`.
-- @string text
-- @int[opt=0] first number of bytes before the text in its file, for messages
function json.decode(text, first)
  local state = { text = text, first = first or 0 }
  local value, at = readValue(state, skip(state, 1), 1)
  at = skip(state, at)
  if at <= #text then fail(state, at, 'the end of the text') end
  return value
end

--- Describes a decoded value in a message.
function json.shown(value)
  if type(value) ~= 'table' or value == json.null then return tostring(value) end
  return next(value) == nil and 'an empty object or array' or #value > 0 and 'an array' or 'an object'
end

local written = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

--- Returns a string in quotes.
function json.quote(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return written[c] or ('\\u%04x'):format(c:byte()) end) .. '"'
end

return json
