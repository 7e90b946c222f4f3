--- Reads protocol buffers in their text form, prototxt, by a schema: https://protobuf.dev/reference/protobuf/textformat-spec.
-- Fields that the schema lacks are skipped.
-- @module loadcaffe.prototxt
local damage = require 'torch.file.damage'
local schema = require 'loadcaffe.schema'

local deepest = 64
local escapes = { n = '\n', t = '\t', r = '\r', a = '\a', b = '\b', f = '\f', v = '\v' }

local function fail(state, expected)
  local found = state.at > #state.text and 'the end of the text' or ('%q'):format(state.text:sub(state.at, state.at + 20))
  damage.raise(state.at, expected, found)
end

-- Skips spaces and comments.
local function skip(state)
  local at = state.text:find('[^%s]', state.at)
  while at and state.text:sub(at, at) == '#' do at = state.text:find('[^%s]', state.text:find('\n', at, true) or #state.text + 1) end
  state.at = at or #state.text + 1
end

-- Returns what matches a pattern here, and moves behind it and the spaces after it; nil if it doesn't match.
local function accept(state, pattern)
  local found = state.text:match('^' .. pattern, state.at)
  if not found then return nil end
  state.at = state.at + #found
  skip(state)
  return found
end

-- Reads adjacent strings in quotes, which are one.
local function readString(state)
  local parts = {}
  while true do
    local quote = state.text:match('^["\']', state.at)
    if not quote then return table.concat(parts) end
    local at = state.at + 1
    while true do
      local plain, stop = state.text:match('^([^\\\n' .. quote .. ']*)()', at)
      parts[#parts + 1] = plain
      local c, after = state.text:sub(stop, stop), state.text:sub(stop + 1, stop + 1)
      at = stop + 1
      if c == quote then break end
      state.at = stop
      if c ~= '\\' or after == '' then fail(state, 'the rest of a string') end
      local octal, hex = state.text:match('^[0-3]?[0-7]?[0-7]', at), state.text:match('^[xX](%x%x?)', at)
      parts[#parts + 1] = octal and string.char(tonumber(octal, 8)) or hex and string.char(tonumber(hex, 16)) or escapes[after] or after
      at = at + (octal and #octal or hex and #hex + 1 or 1)
    end
    state.at = at
    skip(state)
  end
end

local function readNumber(state)
  local sign = accept(state, '%-') and -1 or 1
  local text = state.text:match('^[%w_.][%w_.+-]*', state.at) or fail(state, 'a number')
  local low = text:lower()
  local octal = low:match '^0([0-7]+)$'
  local value = octal and tonumber(octal, 8) or low == 'nan' and 0 / 0 or (low == 'inf' or low == 'infinity') and math.huge
    or (low:find '^0x%x+$' or low:find '^[%d.]') and tonumber((low:gsub('f$', low:find '^0x' and 'f' or ''))) or fail(state, 'a number')
  state.at = state.at + #text
  skip(state)
  return sign * value
end

local readMessage

local function readScalar(state, field)
  local kind = field and field.kind
  if kind == 'string' or not kind and state.text:find('^["\']', state.at) then
    if not state.text:find('^["\']', state.at) then fail(state, 'a string in quotes') end
    return readString(state)
  end
  local word = state.text:match('^[%a_][%w_]*', state.at)
  local enumeration = schema.enumerations[kind]
  if kind == 'bool' then
    local text = state.text:match('^[%w]+', state.at)
    if text ~= 'true' and text ~= 'false' and text ~= '0' and text ~= '1' then fail(state, 'true or false') end
    accept(state, text)
    return text == 'true' or text == '1'
  elseif enumeration then
    if word then
      if not enumeration.numbers[word] then fail(state, ('a value of %s'):format(field.name)) end
      return accept(state, word)
    end
    local value = readNumber(state)
    return enumeration.names[value] or fail(state, ('a value of %s'):format(field.name))
  elseif not kind and word then
    return accept(state, word)
  end
  local value = readNumber(state)
  if kind == 'int' and value % 1 ~= 0 then fail(state, 'a whole number before') end
  return value
end

local function put(message, field, value)
  if not field then return end
  if field.repeated then
    local list = message[field.name] or {}
    list[#list + 1], message[field.name] = value, list
  elseif field.kind ~= 'floats' and field.kind ~= 'doubles' then
    message[field.name] = value
  end
end

-- Reads a value of a field, or of one that the schema lacks, and puts it into the message.
local function readValue(state, message, field, depth)
  local close = accept(state, '{') and '}' or accept(state, '<') and '>'
  local nested = field and schema.messages[field.kind]
  if nested and not close then fail(state, 'a message in braces') end
  if field and close and not nested then fail(state, 'a value of ' .. field.name) end
  if not close then return put(message, field, readScalar(state, field)) end
  local value = nested and not field.repeated and message[field.name] or {}
  readMessage(state, value, nested, close, depth + 1)
  put(message, field, value)
end

function readMessage(state, message, fields, close, depth)
  if depth > deepest then fail(state, ('at most %d levels'):format(deepest)) end
  while true do
    if close and accept(state, close) then return end
    if not close and state.at > #state.text then return end
    local name = accept(state, '[%a_][%w_]*') or accept(state, '%[[%w_./]*%]') or fail(state, 'the name of a field')
    local field = fields and fields.byName[name]
    local colon = accept(state, ':')
    if not colon and not state.text:find('^[{<]', state.at) then fail(state, 'a colon after ' .. name) end
    if accept(state, '%[') then
      while not accept(state, '%]') do
        readValue(state, message, field, depth)
        if not accept(state, ',') and not state.text:find('^%]', state.at) then fail(state, 'a comma or ]') end
      end
    else
      readValue(state, message, field, depth)
    end
    accept(state, '[,;]')
  end
end

--- Reads a message from a text.
-- @string text
-- @string name of the message's type in `loadcaffe.schema`
-- @treturn table values by field; enumerations by name; blobs are skipped
-- @raise damage
return function(text, name)
  local state, message = { text = text, at = 1 }, {}
  skip(state)
  readMessage(state, message, schema.messages[name], nil, 1)
  return message
end
