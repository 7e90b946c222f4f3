--- A viewer that writes a log's figures as a line of JSON.
-- @module torchnet.log.view.json
local torch, argcheck = require 'torch', require 'argcheck'
local sink = require 'torchnet.log.view.sink'

local escapes = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return escapes[c] or ('\\u%04x'):format(c:byte()) end) .. '"'
end

local function encoded(value)
  if value == nil then return 'null' end
  if type(value) == 'number' then return (value ~= value or math.abs(value) == math.huge) and 'null' or ('%.17g'):format(value) end
  if type(value) == 'boolean' then return tostring(value) end
  if torch.isTensor(value) then value = value:totable() end
  if type(value) ~= 'table' then return quoted(tostring(value)) end
  local parts = {}
  if #value > 0 or next(value) == nil then
    for i, entry in ipairs(value) do parts[i] = encoded(entry) end
    return '[' .. table.concat(parts, ',') .. ']'
  end
  for key, entry in pairs(value) do parts[#parts + 1] = quoted(tostring(key)) .. ':' .. encoded(entry) end
  table.sort(parts)
  return '{' .. table.concat(parts, ',') .. '}'
end

--- Makes the viewer, for `onFlush`.
-- @function json
-- @string[opt] filename standard output without one
-- @tparam {string,...} keys
-- @bool[opt=false] append whether a file that is there is kept
return argcheck {
  help = "Writes a log's figures as a line of JSON.", noordered = true,
  { name = 'filename', type = 'string', opt = true, help = 'standard output without one' }, { name = 'keys', type = 'table' },
  { name = 'append', type = 'boolean', default = false },
  call = function(filename, keys, append)
    local write = sink('torchnet.log.view.json', filename, append)
    return function(log)
      local parts = {}
      for i, key in ipairs(keys) do parts[i] = quoted(key) .. ':' .. encoded(log:get(key)) end
      write('{' .. table.concat(parts, ',') .. '}')
    end
  end,
}
