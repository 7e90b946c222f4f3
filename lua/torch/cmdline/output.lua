--- Output of torch.CmdLine: the help, a name for a run, and the log.
-- @module torch.cmdline.output
local class = require 'torch.class'
local keep = require 'torch.file.append_text'
local strip = require 'torch.cmdline.strip'

local CmdLine = {}

local function pad(text, width) return text .. (' '):rep(width - #text) end

local deepest = 3      -- nested tables that are shown

-- Formats a value for the help, the log and a run's name: plain tables by their contents with sorted keys, so that the text is
-- reproducible.
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

local function textOf(value)
  if type(value) == 'boolean' then return value and 't' or 'f' end
  return shown(value)
end

--- Returns a name for a run: prefix and the values that differ from the defaults, as 'prefix,key=value,...', sorted.
-- @string prefix
-- @tparam table params result of parse
-- @tparam table ignore key -> true excludes it, false includes it even if it is the default
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

--- Adds the time, and a name, before each line of the log.
-- @string[opt] name
-- @string[opt='%Y-%m-%d %H:%M:%S'] format as for os.date
function CmdLine:addTime(name, format)
  self.dateformat = (format or '%Y-%m-%d %H:%M:%S') .. ' ' .. (name and '[' .. name:gsub('%%', '%%%%') .. ']: ' or '')
end

--- Writes the log only to its file, not to the screen.
function CmdLine:silent() self.silentio = true end

--- Copies the output of `print` to a file, after a header with the date and the parameters.
-- @tparam string|file file a name, whose file is overwritten, or an open file
-- @tparam[opt] table params result of parse
-- @raise if the file can't be opened; later, `print` raises an error for a line that can't be written
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
