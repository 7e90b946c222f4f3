--- Reads and writes the subset of JSON that benchmark results need.
-- @module json
local json = {}

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return ('\\u%04x'):format(c:byte()) end) .. '"'
end

--- The text of a value; keys are sorted, a table with a first element is an array.
function json.encode(value, indent)
  indent = indent or ''
  if type(value) == 'string' then return quoted(value) end
  if type(value) == 'number' then return ('%.9g'):format(value) end
  if type(value) ~= 'table' then return tostring(value) end
  local inner, parts = indent .. ' ', {}
  if value[1] ~= nil then
    for i, element in ipairs(value) do parts[i] = json.encode(element, inner) end
    return '[' .. table.concat(parts, ', ') .. ']'
  end
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do parts[i] = ('%s%s: %s'):format(inner, quoted(key), json.encode(value[key], inner)) end
  return '{\n' .. table.concat(parts, ',\n') .. '\n' .. indent .. '}'
end

local words = { ['true'] = true, ['false'] = false }

local function parse(text, at)
  at = text:find('%S', at)
  local first = text:sub(at, at)
  if first == '{' or first == '[' then
    local value, closing = {}, first == '{' and '}' or ']'
    at = text:find('%S', at + 1)
    while text:sub(at, at) ~= closing do
      local key = #value + 1
      if first == '{' then
        key, at = parse(text, at)
        at = text:find(':', at, true) + 1
      end
      value[key], at = parse(text, at)
      at = text:find('%S', at)
      if text:sub(at, at) == ',' then at = text:find('%S', at + 1) end
    end
    return value, at + 1
  elseif first == '"' then
    local stop = at + 1
    while text:sub(stop, stop) ~= '"' do stop = stop + (text:sub(stop, stop) == '\\' and 2 or 1) end
    return (text:sub(at + 1, stop - 1):gsub('\\u00(%x%x)', function(hex) return string.char(tonumber(hex, 16)) end)), stop + 1
  end
  local word = text:match('^[%w.+-]+', at)
  local value = words[word]
  if value == nil then value = tonumber(word) end
  return value, at + #word
end

--- The value of a text that `encode` wrote.
function json.decode(text) return (parse(text, 1)) end

return json
