--- Encodes values as JSON (RFC 8259) on one line.
-- @module torch.file.json_text
local torch, quoted = require 'torch', require('torch.file.json').quote

-- JSON has no numbers for NaN and the infinities.
local function number(value)
  return (value ~= value or math.abs(value) == math.huge) and 'null' or ('%.17g'):format(value)
end

local encoded

local function array(value)
  local parts = {}
  for i = 1, #value do parts[i] = encoded(value[i]) end
  return '[' .. table.concat(parts, ',') .. ']'
end

local function object(value)
  local parts = {}
  for key, entry in pairs(value) do parts[#parts + 1] = quoted(tostring(key)) .. ':' .. encoded(entry) end
  table.sort(parts)
  return '{' .. table.concat(parts, ',') .. '}'
end

function encoded(value)
  if value == nil then return 'null' end
  if type(value) == 'number' then return number(value) end
  if type(value) == 'boolean' then return tostring(value) end
  if torch.isTensor(value) then value = value:totable() end
  if type(value) ~= 'table' then return quoted(tostring(value)) end
  if #value > 0 or next(value) == nil then return array(value) end
  return object(value)
end

--- Encodes a value.
-- @param value nil, boolean, number, string; tensors become lists; tables with a first entry become lists, others objects with sorted
--   names; any other value becomes the string from tostring. NaN and infinities become null
-- @treturn string
return encoded
