--- Parses a command line for torch.CmdLine.
-- @module torch.cmdline.parse
local strip = require 'torch.cmdline.strip'

local CmdLine = {}

local helpKeys = { ['-h'] = true, ['-help'] = true, ['--help'] = true }

-- Converts text to the value of an argument or option; returns nil and the reason if it is invalid.
local function valueOf(kind, declared, text)
  if declared.type ~= 'string' and declared.type ~= 'number' then
    return nil, ('unknown required %s type %s'):format(kind, declared.type)
  end
  if text == nil then return nil, ('missing argument for %s %s'):format(kind, declared.key) end
  if declared.type == 'string' then return text end
  local value = tonumber(text)
  if not value then return nil, ('invalid argument for %s %s: %s, expected a number'):format(kind, declared.key, text) end
  return value
end

--- Writes a message to stderr, prints the help and ends the program with status 1.
-- @string message
function CmdLine:error(message)
  io.stderr:write(tostring(message), '\n\n')
  self:help()
  os.exit(1)
end

--- Reads the option at a position of the command line. Subclasses override it, and call it for options that they don't handle.
-- @tparam table params receives the value
-- @tparam {string,...} arg the command line
-- @int i index of the option's key
-- @treturn int number of entries of arg that it used
function CmdLine:__readOption__(params, arg, i)
  local option = self.options[arg[i]]
  if not option then self:error('unknown option ' .. tostring(arg[i])) end
  if option.type == 'boolean' then
    params[strip(option.key)] = not option.default
    return 1
  end
  local value, problem = valueOf('option', option, arg[i + 1])
  if problem then self:error(problem) end
  params[strip(option.key)] = value
  return 2
end

--- Reads a positional argument, like `__readOption__` for an option.
-- @tparam table params receives the value
-- @tparam {string,...} arg the command line
-- @int i index of the argument
-- @int nArgument its number among the declared arguments
-- @treturn int number of entries of arg that it used
function CmdLine:__readArgument__(params, arg, i, nArgument)
  local argument = self.arguments[nArgument]
  if not argument then self:error('invalid argument: ' .. tostring(arg[i])) end
  local value, problem = valueOf('argument', argument, arg[i])
  if problem then self:error(problem) end
  params[strip(argument.key)] = value
  return 1
end

--- Reads the command line. Prints the help and ends the program for -h, -help and --help, or after an error.
-- @tparam table arg the program's arguments, like Lua's global `arg`
-- @treturn table values by name, without dashes
function CmdLine:parse(arg)
  arg = arg or {}
  local params = self:default()
  local i, positional = 1, 0
  while i <= #arg do
    if helpKeys[arg[i]] then
      self:help(arg)
      os.exit(0)
    elseif self.options[arg[i]] then
      i = i + self:__readOption__(params, arg, i)
    else
      positional = positional + 1
      i = i + self:__readArgument__(params, arg, i, positional)
    end
  end
  if positional < #self.arguments then self:error('not enough arguments: missing ' .. self.arguments[positional + 1].key) end
  return params
end

--- Returns the defaults of the options.
-- @treturn table values by name, without dashes
function CmdLine:default()
  local params = {}
  for key, option in pairs(self.options) do params[strip(key)] = option.default end
  return params
end

return CmdLine
