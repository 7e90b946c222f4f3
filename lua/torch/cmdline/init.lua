--- torch.CmdLine: declares the arguments and options of a program and reads them from the command line.
-- @classmod torch.CmdLine
-- @usage local cmd = torch.CmdLine()
-- cmd:option('-rate', 0.1, 'learning rate')
-- local opt = cmd:parse(arg)
local torch, class = require 'torch', require 'torch.class'

local CmdLine = class.class('torch.CmdLine', torch)

for _, part in ipairs { 'parse', 'output' } do
  for name, method in pairs(require('torch.cmdline.' .. part)) do CmdLine[name] = method end
end

--- Creates a command line. Subclasses may read and write its fields: `argseparator`, `keyseparator`; `options`, by key {key=, default=,
-- help=, type=}; `arguments`, a list of {key=, help=, type=}; `helplines`, the strings of the help and these tables in order of
-- declaration; `silentio`, whether the log skips the screen; `dateformat` of the time before its lines, nil for none.
-- @string[opt=','] argseparator between the pairs of `string`
-- @string[opt='='] keyseparator between key and value of `string`
function CmdLine:__init(argseparator, keyseparator)
  self.argseparator, self.keyseparator = argseparator or ',', keyseparator or '='
  self.options, self.arguments, self.helplines = {}, {}, {}
  self.silentio, self.dateformat = false, nil
end

--- Declares a required positional argument.
-- @string key its name in the parsed table
-- @string help its description
-- @string[opt='string'] type_ its type
function CmdLine:argument(key, help, type_)
  if type(key) ~= 'string' then error('argument: key: ' .. type(key) .. ', expected a string', 2) end
  local argument = { key = key, help = help or '', type = type_ or 'string' }
  table.insert(self.arguments, argument)
  table.insert(self.helplines, argument)
end

--- Declares an option. Numbers are converted; a boolean takes no value and flips its default. Subclasses handle any other type in an
-- overridden `__readOption__`.
-- @string key with its dashes
-- @param default its value if it is not given, of any type
-- @string help its description
-- @string[opt] type_ default: the type of the default value
function CmdLine:option(key, default, help, type_)
  if type(key) ~= 'string' then error('option: key: ' .. type(key) .. ', expected a string', 2) end
  if default == nil then error('option ' .. key .. ' has no default value', 2) end
  type_ = type_ or type(default)
  if type(default) ~= type_ then error('option ' .. key .. ' has wrong default type value', 2) end
  local option = { key = key, default = default, help = help or '', type = type_ }
  self.options[key] = option
  table.insert(self.helplines, option)
end

--- Adds a line to the help.
-- @string[opt=''] text
function CmdLine:text(text)
  text = text == nil and '' or text
  if type(text) ~= 'string' then error('text: ' .. type(text) .. ', expected a string', 2) end
  table.insert(self.helplines, text)
end

return { CmdLine = torch.CmdLine }
