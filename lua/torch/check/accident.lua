--- Accidental errors inside the library, reported for the caller; loaded when the first one happens.
-- @module torch.check.accident
local debug, select, type = debug, select, type
local guard = require 'torch.check.guard'

local accident, folder = {}, guard.folder

--- Returns whether a file, as named in error messages, belongs to this library. Messages show only the last 57 characters of a long name.
function accident.isOurs(file)
  if not guard.isInstalled then return false end
  local rest = file:match '^%.%.%.(.*)$'
  if not rest then return guard.isOurSource(folder:sub(1, 1) .. file) end
  for last in rest:gmatch '()/' do
    if last > 8 and folder:sub(-last) == rest:sub(1, last) then return true end
  end
  return false
end

-- Returns whether a chunk of that name is running: from `th -e`, from standard input, or from a file with another ending.
local function isRunning(name)
  local level = 2
  local info = debug.getinfo(level, 'S')
  while info and info.short_src ~= name do
    level = level + 1
    info = debug.getinfo(level, 'S')
  end
  return info ~= nil
end

--- Returns an error's message without its position, if that is in the library; nil if it is in a program.
-- @string message
function accident.withoutPlace(message)
  local file, rest = message:match '^([^\n:]+):%d+: (.*)$'
  if not file or not file:find '%.lua$' and not file:find '^%[string ' and not isRunning(file) then return message end
  if accident.isOurs(file) then return rest end
end

-- Lua's messages for unsupported values; a function's explicit checks have more specific ones.
local accidents = { '^[Aa]ttempt to ', '^bad argument #', "^'for' ", ' have no [%l-]+ operator$' }

--- Returns whether a message, without its position, comes from Lua itself.
-- @string line
function accident.isAccident(line)
  for _, pattern in ipairs(accidents) do
    if line:find(pattern) then return true end
  end
  return false
end

local function described(value)
  local torch = package.loaded.torch
  if torch.isTensor(value) then return require('torch.check.message').tensor(value) end
  if type(value) == 'number' then return tostring(value) end
  return type(value) == 'table' and value.__typename or torch.type(value)
end

-- Returns the names of a method's parameters, without self.
local function parametersOf(method)
  method = guard.written[method] or method
  local names, i = {}, 2
  while debug.getlocal(method, i) do
    names[i - 1] = debug.getlocal(method, i)
    i = i + 1
  end
  if debug.getinfo(method, 'u').isvararg then names[i - 1] = '...' end
  return names
end

--- Raises the error of a call of a library method. For an accidental error, the message shows the actual and the expected arguments, and
-- the program's line.
-- @string where the method's name in messages
-- @tparam function method
-- @param message the error
-- @param ... the method's arguments
function accident.tell(where, method, message, ...)
  local text = type(message) == 'string' and accident.withoutPlace(message)
  if not text then error(message, 0) end
  if not text:find(where, 1, true) then
    local actual = {}
    for i = 1, select('#', ...) do actual[i] = described((select(i, ...))) end
    text = ('%s: arguments: (%s), expected (%s)%s'):format(where, table.concat(actual, ', '),
      table.concat(parametersOf(method), ', '), accident.isAccident(text) and '' or ': ' .. text)
  end
  require('torch.check').raise(text)
end

return accident
