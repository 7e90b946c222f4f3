--- torch.CmdLine: declares the arguments and options of a program and reads them from the command line.
-- @classmod torch.CmdLine
-- @usage local cmd = torch.CmdLine()
-- cmd:option('-rate', 0.1, 'learning rate')
-- local opt = cmd:parse(arg)
local class = require 'torch.class'

local helpKeys = { ['-h'] = true, ['-help'] = true, ['--help'] = true }

local function strip(key) return (key:gsub('^%-+', '')) end

local function pad(text, width) return text .. (' '):rep(width - #text) end

--- Puts class torch.CmdLine into torch.
return function(torch)
  local CmdLine = class.class('torch.CmdLine', torch)

  --- @string[opt=','] argseparator between the pairs of `string`
  -- @string[opt='='] keyseparator between key and value of `string`
  function CmdLine:__init(argseparator, keyseparator)
    self.argseparator, self.keyseparator = argseparator or ',', keyseparator or '='
    self.options = {}        -- key -> option
    self.arguments = {}      -- in order
    self.helplines = {}      -- strings, options and arguments in order of declaration
  end

  --- Declares a required positional argument.
  -- @string key its name in the parsed table
  -- @string help what it is
  -- @string[opt='string'] type its type
  function CmdLine:argument(key, help, type_)
    if type(key) ~= 'string' then error('argument: key: ' .. type(key) .. ', expected a string', 2) end
    local argument = { key = key, help = help or '', type = type_ or 'string' }
    table.insert(self.arguments, argument)
    table.insert(self.helplines, argument)
  end

  --- Declares an option. Numbers are converted; a boolean takes no value and flips its default.
  -- @string key with its dashes
  -- @param default its value when it is not given
  -- @string help what it is
  -- @string[opt] type that of the default unless given
  function CmdLine:option(key, default, help, type_)
    if type(key) ~= 'string' then error('option: key: ' .. type(key) .. ', expected a string', 2) end
    if default == nil then error('option ' .. key .. ' has no default value', 2) end
    type_ = type_ or type(default)
    if type(default) ~= type_ then error('option ' .. key .. ' has wrong default type value', 2) end
    if type_ ~= 'string' and type_ ~= 'number' and type_ ~= 'boolean' then error('option ' .. key .. ' has unknown type ' .. type_, 2) end
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

  local function convert(self, option, text)
    if text == nil then self:error('missing argument for option ' .. option.key) end
    if option.type == 'string' then return text end
    local value = tonumber(text)
    if not value then self:error(('invalid argument for option %s: %s, expected a number'):format(option.key, text)) end
    return value
  end

  --- Reads the command line. Prints the help and ends the program for -h, -help and --help, or when something is wrong.
  -- @tparam table arg the program's arguments, as Lua's global `arg`
  -- @treturn table values by name, without dashes
  function CmdLine:parse(arg)
    arg = arg or {}
    local params = self:default()
    local i, positional = 1, 0
    for _, text in ipairs(arg) do
      if helpKeys[text] then
        self:help(arg)
        os.exit(0)
      end
    end
    while i <= #arg do
      local option = self.options[arg[i]]
      if not option then
        positional = positional + 1
        local argument = self.arguments[positional]
        if not argument then self:error('invalid argument: ' .. arg[i]) end
        params[strip(argument.key)] = arg[i]
        i = i + 1
      elseif option.type == 'boolean' then
        params[strip(option.key)] = not option.default
        i = i + 1
      else
        params[strip(option.key)] = convert(self, option, arg[i + 1])
        i = i + 2
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
    return tostring(value)
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
    self._logName, self._logTime = name, format or '%Y-%m-%d %H:%M:%S'
  end

  --- The log goes to its file only, not to the screen.
  function CmdLine:silent() self._silent = true end

  --- Copies what `print` prints to a file, after a header with the date and the parameters.
  -- @tparam string|file file a name, whose file is overwritten, or an open file
  -- @tparam[opt] table params what parse returned
  function CmdLine:log(file, params)
    local out = file
    if type(file) == 'string' then
      local message
      out, message = io.open(file, 'w')
      if not out then error('log: ' .. message, 2) end
    end
    local screen = print
    rawset(_G, 'print', function(...)
      if not self._silent then screen(...) end
      local texts = {}
      for i = 1, select('#', ...) do texts[i] = tostring((select(i, ...))) end
      local stamp = self._logTime and os.date(self._logTime) .. ' ' or ''
      if self._logTime and self._logName then stamp = stamp .. '[' .. self._logName .. ']: ' end
      out:write(stamp, table.concat(texts, '\t'), '\n')
      out:flush()
    end)
    out:write('[program started on ', os.date(), ']\n')
    local keys = {}
    for key in pairs(params or {}) do table.insert(keys, key) end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    out:write('[command line arguments]\n')
    for _, key in ipairs(keys) do out:write(tostring(key), '\t', tostring(params[key]), '\n') end
    out:write('[----------------------]\n')
    out:flush()
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
        local default = line.default ~= nil and (' [%s]'):format(tostring(line.default)) or ''
        io.write('  ', pad(labelOf(line), width), ' ', line.help, default, '\n')
      end
    end
  end

  return CmdLine
end
