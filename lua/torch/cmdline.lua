--- torch.CmdLine: declares the arguments and options of a program and reads them from the command line.
-- @classmod torch.CmdLine
-- @usage local cmd = torch.CmdLine()
-- cmd:option('-rate', 0.1, 'learning rate')
-- local opt = cmd:parse(arg)
local class = require 'torch.class'
local keep = require 'torch.kept_text'

local helpKeys = { ['-h'] = true, ['-help'] = true, ['--help'] = true }

local function strip(key) return (key:gsub('^%-+', '')) end

local function pad(text, width) return text .. (' '):rep(width - #text) end

local deepest = 3      -- levels of tables that are shown

-- A value in the help, the log and a run's name: plain tables by what they hold, keys in order, so that it is the same each time.
local function shown(value, level)
  level = level or 1
  local meta = type(value) == 'table' and getmetatable(value)
  if type(value) ~= 'table' or class.typename(value) or meta and meta.__tostring then return tostring(value) end
  if level > deepest then return '{...}' end
  local parts, named = {}, {}
  for i, element in ipairs(value) do parts[i] = shown(element, level + 1) end
  for key, element in pairs(value) do
    local listed = type(key) == 'number' and key >= 1 and key <= #parts and key % 1 == 0
    if not listed then table.insert(named, tostring(key) .. '=' .. shown(element, level + 1)) end
  end
  table.sort(named)
  for _, part in ipairs(named) do table.insert(parts, part) end
  return '{' .. table.concat(parts, ',') .. '}'
end

-- What text says for an argument or option; nil and why where it says nothing for it.
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

--- Puts class torch.CmdLine into torch.
return function(torch)
  local CmdLine = class.class('torch.CmdLine', torch)

  --- Its fields are for subclasses to read and write: `argseparator`, `keyseparator`; `options`, by key {key=, default=, help=, type=};
  -- `arguments`, a list of {key=, help=, type=}; `helplines`, the strings of the help and these tables in order of declaration;
  -- `silentio`, whether the log leaves the screen out; `dateformat`, of the time before its lines, nil for none.
  -- @string[opt=','] argseparator between the pairs of `string`
  -- @string[opt='='] keyseparator between key and value of `string`
  function CmdLine:__init(argseparator, keyseparator)
    self.argseparator, self.keyseparator = argseparator or ',', keyseparator or '='
    self.options, self.arguments, self.helplines = {}, {}, {}
    self.silentio, self.dateformat = false, nil
  end

  --- Declares a required positional argument.
  -- @string key its name in the parsed table
  -- @string help what it is
  -- @string[opt='string'] type_ its type
  function CmdLine:argument(key, help, type_)
    if type(key) ~= 'string' then error('argument: key: ' .. type(key) .. ', expected a string', 2) end
    local argument = { key = key, help = help or '', type = type_ or 'string' }
    table.insert(self.arguments, argument)
    table.insert(self.helplines, argument)
  end

  --- Declares an option. Numbers are converted; a boolean takes no value and flips its default. Any other type is for a subclass to read,
  -- by a `__readOption__` of its own.
  -- @string key with its dashes
  -- @param default its value when it is not given, of any type
  -- @string help what it is
  -- @string[opt] type_ that of the default unless given
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

  --- Writes a message to stderr, prints the help and ends the program with status 1.
  -- @string message
  function CmdLine:error(message)
    io.stderr:write(tostring(message), '\n\n')
    self:help()
    os.exit(1)
  end

  --- Reads the option at a place of the command line. Subclasses override it, and call it for what they don't read themselves.
  -- @tparam table params gets the value
  -- @tparam {string,...} arg the command line
  -- @int i where the option's key is
  -- @treturn int how many entries of arg it took
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

  --- Reads a positional argument, as `__readOption__` does an option.
  -- @tparam table params gets the value
  -- @tparam {string,...} arg the command line
  -- @int i where the argument is
  -- @int nArgument which of the declared ones it is
  -- @treturn int how many entries of arg it took
  function CmdLine:__readArgument__(params, arg, i, nArgument)
    local argument = self.arguments[nArgument]
    if not argument then self:error('invalid argument: ' .. tostring(arg[i])) end
    local value, problem = valueOf('argument', argument, arg[i])
    if problem then self:error(problem) end
    params[strip(argument.key)] = value
    return 1
  end

  --- Reads the command line. Prints the help and ends the program for -h, -help and --help, or when something is wrong.
  -- @tparam table arg the program's arguments, as Lua's global `arg`
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

  --- The defaults of the options.
  -- @treturn table values by name, without dashes
  function CmdLine:default()
    local params = {}
    for key, option in pairs(self.options) do params[strip(key)] = option.default end
    return params
  end

  local function textOf(value)
    if type(value) == 'boolean' then return value and 't' or 'f' end
    return shown(value)
  end

  --- A name for a run: prefix and what differs from the defaults, as 'prefix,key=value,...', sorted.
  -- @string prefix
  -- @tparam table params what parse returned
  -- @tparam table ignore key -> true leaves it out, false puts it in even if it is the default
  -- @treturn string
  function CmdLine:string(prefix, params, ignore)
    if type(ignore) ~= 'table' then error('string: ignore: ' .. type(ignore) .. ', expected a table', 2) end
    local defaults, pairsOf = self:default(), {}
    for key, value in pairs(params) do
      if ignore[key] == false or not ignore[key] and value ~= defaults[key] then
        table.insert(pairsOf, strip(key) .. self.keyseparator .. textOf(value))
      end
    end
    table.sort(pairsOf)
    table.insert(pairsOf, 1, prefix)
    return table.concat(pairsOf, self.argseparator)
  end

  --- Puts the time, and a name, before each line of the log.
  -- @string[opt] name
  -- @string[opt='%Y-%m-%d %H:%M:%S'] format as for os.date
  function CmdLine:addTime(name, format)
    self.dateformat = (format or '%Y-%m-%d %H:%M:%S') .. ' ' .. (name and '[' .. name:gsub('%%', '%%%%') .. ']: ' or '')
  end

  --- The log goes to its file only, not to the screen.
  function CmdLine:silent() self.silentio = true end

  --- Copies what `print` prints to a file, after a header with the date and the parameters.
  -- @tparam string|file file a name, whose file is overwritten, or an open file
  -- @tparam[opt] table params what parse returned
  -- @raise if the file can't be opened; `print` does from then on for a line that can't be written
  function CmdLine:log(file, params)
    local out, name = file, tostring(file)
    if type(file) == 'string' then
      local message
      out, message = io.open(file, 'w')
      if not out then error('log: ' .. message, 2) end
    end
    local header, keys = { ('[program started on %s]\n[command line arguments]\n'):format(os.date()) }, {}
    for key in pairs(params or {}) do table.insert(keys, key) end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do table.insert(header, tostring(key) .. '\t' .. shown(params[key]) .. '\n') end
    keep('log', name, out, table.concat(header) .. '[----------------------]\n')
    local screen = print
    rawset(_G, 'print', function(...)
      if not self.silentio then screen(...) end
      local texts = {}
      for i = 1, select('#', ...) do texts[i] = tostring((select(i, ...))) end
      keep('log', name, out, self.dateformat and os.date(self.dateformat) or '', table.concat(texts, '\t'), '\n')
    end)
  end

  local function usageOf(self, arg)
    local words = { 'Usage:', arg and arg[0] or rawget(_G, 'arg') and rawget(_G, 'arg')[0] or 'program' }
    if next(self.options) then table.insert(words, '[options]') end
    for _, argument in ipairs(self.arguments) do table.insert(words, '<' .. strip(argument.key) .. '>') end
    return table.concat(words, ' ')
  end

  local function labelOf(line)
    if line.default == nil then return '<' .. strip(line.key) .. '>' end
    return line.key
  end

  --- Prints the usage, and each argument and option with its default.
  -- @tparam[opt] table arg arg[0] is the program's name
  function CmdLine:help(arg)
    io.write(usageOf(self, arg), '\n')
    local width = 0
    for _, line in ipairs(self.helplines) do
      if type(line) == 'table' then width = math.max(width, #labelOf(line)) end
    end
    for _, line in ipairs(self.helplines) do
      if type(line) == 'string' then
        io.write(line, '\n')
      else
        local default = line.default ~= nil and (' [%s]'):format(shown(line.default)) or ''
        io.write('  ', pad(labelOf(line), width), ' ', line.help, default, '\n')
      end
    end
  end

  return CmdLine
end
