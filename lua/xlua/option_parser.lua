--- xlua.OptionParser: command-line options with short and long spellings, in the style of optparse.
-- @classmod xlua.OptionParser
local check = require 'torch.check'

local Parser = {}

local function copyMethods(self)
  for name, method in pairs(Parser) do self[name] = method end
  return self
end

--- @string usage first line of the help; %prog is replaced by the program's name
-- @treturn table the parser
local function OptionParser(usage)
  local self = copyMethods { usage = usage or 'Usage: %prog [options]', option_descriptions = {}, option_of = {} }
  self:option { '-h', '--help', action = 'store_true', dest = 'help', help = 'show this help message and exit' }
  return self
end

--- Declares an option.
-- @tparam table description spellings, and `action` (store, store_true, store_false), `dest`, `default`, `help`, `req`, `metavar`
function Parser:option(description)
  check.table('option', 'description', description)
  check.text('option', 'description[1]', description[1])
  table.insert(self.option_descriptions, description)
  description.action = description.action or 'store'
  description.dest = description.dest or (description[#description]:gsub('^%-+', ''))
  for _, flag in ipairs(description) do self.option_of[flag] = description end
end

local function program() return rawget(_G, 'arg') and rawget(_G, 'arg')[0] or 'program' end

--- The spellings of an option for the help.
function Parser.flags(_, description)
  local spellings = {}
  for _, flag in ipairs(description) do
    if description.action == 'store' then
      flag = flag .. (flag:sub(1, 2) == '--' and '=' or ' ') .. (description.metavar or description.dest:upper())
    end
    table.insert(spellings, flag)
  end
  return table.concat(spellings, ', ')
end

--- Prints the usage and the options with their defaults.
function Parser:help()
  io.write((self.usage:gsub('%%prog', (program():gsub('%%', '%%%%')))), '\n\nOptions:\n')
  local width = 0
  for _, description in ipairs(self.option_descriptions) do width = math.max(width, #self:flags(description)) end
  for _, description in ipairs(self.option_descriptions) do
    local flags = self:flags(description)
    local note = ''
    if description.default ~= nil then
      note = (' [default = %s]'):format(tostring(description.default))
    elseif description.req then
      note = ' [REQUIRED]'
    end
    io.write('  ', flags, (' '):rep(width - #flags + 2), description.help or '', note, '\n')
  end
end

--- Writes a message to stderr, prints the help and ends the program with status 1.
function Parser:fail(message)
  io.stderr:write(program(), ': ', message, '\n')
  self:help()
  os.exit(1)
end

-- Consumes the option at i; returns the position of the next word.
local function take(self, words, i, options)
  local flag, value = words[i]:match('^(%-%-[^=]+)=(.*)$')
  flag = flag or words[i]
  local description = self.option_of[flag]
  if not description then self:fail('unknown option ' .. flag) end
  if description.action == 'store_true' or description.action == 'store_false' then
    options[description.dest] = description.action == 'store_true'
    return i + 1
  end
  if value == nil then
    i = i + 1
    value = words[i]
    if value == nil then self:fail('option ' .. flag .. ' expects an argument') end
  end
  options[description.dest] = value
  return i + 1
end

--- Reads the global `arg`.
-- @tparam[opt] table options the table for the values
-- @treturn table values by dest; __main__ tells whether there was a command line
-- @treturn table positional arguments
function Parser:parse(options)
  options = options or {}
  for _, description in ipairs(self.option_descriptions) do
    if description.default ~= nil and options[description.dest] == nil then options[description.dest] = description.default end
  end
  local words, positional, i = rawget(_G, 'arg'), {}, 1
  options.__main__ = words ~= nil
  if not words then return options, positional end
  while i <= #words do
    if words[i]:sub(1, 1) == '-' and words[i] ~= '-' then
      i = take(self, words, i, options)
    else
      table.insert(positional, words[i])
      i = i + 1
    end
  end
  if options.help then
    self:help()
    os.exit(0)
  end
  for _, description in ipairs(self.option_descriptions) do
    if description.req and options[description.dest] == nil then self:fail('missing required option ' .. self:flags(description)) end
  end
  self.parsed = options
  return options, positional
end

local function chosen(description, params)
  if not params or next(params) == nil then return true end
  for _, flag in ipairs(description) do
    for _, wanted in pairs(params) do
      if wanted == flag then return true end
    end
  end
  return false
end

--- The options and their values, one per line; or 'key=value,...' for a file name.
-- @bool[opt] generatefilename
-- @tparam[opt] table params the flags to include
-- @treturn string
function Parser:tostring(generatefilename, params)
  local values, parts = self.parsed or {}, {}
  for _, description in ipairs(self.option_descriptions) do
    local value = values[description.dest]
    if value == nil then value = description.default end
    if description.dest ~= 'help' and (not generatefilename or chosen(description, params)) then
      if generatefilename then
        table.insert(parts, (('%s=%s'):format(description.dest, tostring(value)):gsub('/', '|'):gsub(' ', '_')))
      else
        table.insert(parts, ('  %s = %s'):format(description.dest, tostring(value)))
      end
    end
  end
  return table.concat(parts, generatefilename and ',' or '\n')
end

--- Writes the options and their values.
-- @bool[opt] compact on one line
function Parser:summarize(compact) io.write(self:tostring(compact), '\n') end

return OptionParser
