--- The globals of xlua: xprint, xerror and xrequire. Also remembers the globals that existed when xlua was loaded.
-- @module xlua.globals
local globals = { atStart = {} }

--- Remembers the current globals, for `clearall` and `who`.
function globals.remember()
  for name in pairs(_G) do globals.atStart[name] = true end
end

local longest = 40      -- characters of a value in a printed table

local function short(value)
  local shown = tostring(value)
  return #shown > longest and shown:sub(1, longest) .. '...' or shown
end

local function printTable(t)
  local metatable = getmetatable(t)
  if type(metatable) == 'table' and metatable.__tostring__ then
    io.write(metatable.__tostring__(t))
    return
  end
  if type(rawget(t, 'usage')) == 'string' then io.write(t.usage, '\n\nFIELDS:\n') end
  local parts = {}
  for key, value in pairs(t) do parts[#parts + 1] = ('[%s] = %s'):format(tostring(key), short(value)) end
  io.write('{', table.concat(parts, ',\n '), '}')
end

--- Prints a table one level deep, any other value by tostring; further values follow after four spaces.
function globals.print(value, ...)
  if type(value) == 'table' then printTable(value) else io.write(tostring(value)) end
  for i = 1, select('#', ...) do io.write('    ', tostring((select(i, ...)))) end
  io.write('\n')
end

--- Raises an error in red: '<domain> message', and the usage on a new line.
-- @string message
-- @string[opt] domain
-- @string[opt] usage
function globals.error(message, domain, usage)
  local colors = require 'sys.colors'
  local prefix = domain and '<' .. tostring(domain) .. '> ' or ''
  error(colors.red .. prefix .. tostring(message) .. colors.none .. (usage and '\n' .. tostring(usage) or ''), 2)
end

--- Loads a package, or prints why it cannot be loaded and returns false.
function globals.require(name)
  local good, value = pcall(_G.require, name)
  if good then return value end
  print(value)
  local colors = require 'sys.colors'
  print(('%swarning: <%s> could not be loaded%s'):format(colors.red, name, colors.none))
  return false
end

return globals
