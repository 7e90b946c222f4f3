--- Tables as text, and parameters from the environment.
-- @module xlua.text
local check = require 'torch.check'

local text = {}

local function quoted(value) return type(value) == 'string' and ('%q'):format(value) or tostring(value) end

--- A table as text: the array part, then key=value, nested; a table inside itself is {...}.
-- @tparam table tbl
-- @bool[opt] newline one entry per line, as 'key : value'
-- @tparam[opt] table open the tables that contain this one, as keys
-- @treturn string
function text.table2string(tbl, newline, open)
  check.table('xlua.table2string', 'tbl', tbl)
  local parts = {}
  open = open or {}
  if open[tbl] then return '{...}' end
  open[tbl] = true
  local function form(value) return type(value) == 'table' and text.table2string(value, newline, open) or quoted(value) end
  for i, value in ipairs(tbl) do parts[i] = form(value) end
  local n = #parts
  for key, value in pairs(tbl) do
    local inArray = type(key) == 'number' and key >= 1 and key <= n and key % 1 == 0
    if not inArray then parts[#parts + 1] = tostring(key) .. (newline and ' : ' or '=') .. form(value) end
  end
  open[tbl] = nil
  if newline then return '{' .. table.concat(parts, ',\n ') .. '}' end
  return '{' .. table.concat(parts, ',') .. '}'
end

local booleans = { ['true'] = true, ['True'] = true, ['false'] = false, ['False'] = false }

--- Returns defaults, with values from environment variables of the same names, converted to the default's type.
-- @tparam table defaults
-- @treturn table
function text.envparams(defaults)
  local params = {}
  for key, default in pairs(check.table('xlua.envparams', 'defaults', defaults)) do
    local set = os.getenv(key)
    if set == nil then
      params[key] = default
    elseif type(default) == 'number' then
      params[key] = check.that(tonumber(set), ('envparams: %s: %s, expected a number'):format(key, set))
    elseif type(default) == 'boolean' then
      check.that(booleans[set] ~= nil, ('envparams: %s: %s, expected true or false'):format(key, set))
      params[key] = booleans[set]
    else
      params[key] = set
    end
  end
  return params
end

return text
