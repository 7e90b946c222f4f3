--- The kernel's answers to a frontend's requests: each function returns the content of a reply, by Jupyter's protocol 5.3.
-- Source: jupyter-client.readthedocs.io, "Messaging in Jupyter"
-- @module notebook.kernel
local terminal = require 'trepl.terminal'
require 'trepl'
local engine = require 'libmoontorch'
local completion = require 'trepl.completion'
local directives = require 'trepl.directives'
local evaluation = require 'trepl.evaluation'
local locals = require 'trepl.locals'
local pretty = require 'trepl.pretty'
local statements = require 'trepl.statements'
local traceback = require 'trepl.traceback'
local cursor = require 'notebook.cursor'
local figures = require 'notebook.figures'
local mime = require 'notebook.mime'
local notebook = require 'notebook'
local frontend = require 'notebook.frontend'

local kernel = {}

local help = [[
An expression is evaluated and its value shown; a trailing ; keeps it silent. The last value is _1, the one before _2, and so on; all are
in _RESULTS. Local variables stay known in later cells. What a program can show beside: ? notebook
  ? name           documentation of a function or class, such as ? torch.add; so does Shift-Tab behind it
  $ command        runs a shell command
  display(value)   shows a value as a cell's last one is shown
  who()            lists your variables            setprintlevel(n)  how deep print opens tables
  import 'name'    a package's fields as globals   exit              ends the kernel
]] .. directives.text()

local silent, failure = false, nil      -- of the running cell

local function show(n, values, isLast)
  if silent then return end
  local data, metadata
  if n == 1 then
    data, metadata = mime.bundle(values[1])
    figures.wasShown(values[1])
  else
    local texts = {}
    for i = 1, n do texts[i] = pretty.text(values[i]) end
    data = { ['text/plain'] = table.concat(texts, '\t') }
  end
  if data then frontend.show(isLast and 'result' or 'display', data, metadata) end
end

local names = { error = 'Error', syntax = 'SyntaxError', interrupt = 'Interrupted' }

local function report(message, kind)
  if kind == 'hint' then
    io.stdout:write(message, '\n')
  else
    failure = { name = names[kind], message = message }
  end
end

local session = evaluation.session { show = show, report = report, help = help }

local function linesOf(code)
  local lines = {}
  for line in (code .. '\n'):gmatch '(.-)\r?\n' do lines[#lines + 1] = line end
  return lines
end

-- Runs all parts of a cell: none if one of them can't be compiled, and none after a failure.
local function run(parts)
  session.status = 0
  for _, part in ipairs(parts) do
    if not session:check(part) then return end
  end
  for i, part in ipairs(parts) do
    if statements.leaves(part.text) then return true end
    session:run(part, i == #parts)
    if session.status ~= 0 then return end
  end
end

local function errorReply(name, message)
  local text, trace = message:match '^(.-)(\nstack traceback:.*)$'
  local shown = ('\27[31m%s\27[0m: %s%s'):format(name, text or message, trace or '')
  return { status = 'error', ename = name, evalue = text or message, traceback = linesOf(shown) }
end

local function evaluated(expression)
  local chunk, problem = locals.compile('return ' .. expression)
  if not chunk then return errorReply('SyntaxError', problem) end
  local good, value = terminal.call(traceback, chunk)
  if not good then return errorReply('Error', tostring(value)) end
  local data, metadata = mime.bundle(value)
  return { status = 'ok', data = data or {}, metadata = metadata }
end

--- Runs a cell.
-- @string code
-- @int counter its number
-- @tparam boolean isSilent whether to suppress its output
-- @tparam {[string]=string} expressions to evaluate afterwards
-- @treturn table
function kernel.execute(code, counter, isSilent, expressions)
  silent, failure = isSilent, nil
  locals.source = ('=In[%d]'):format(counter)
  local leaves = run(statements.parts(linesOf(code)))
  if not silent then
    local good, problem = terminal.call(traceback, figures.showCurrent)
    if not good then failure = failure or { name = 'Error', message = tostring(problem) } end
  end
  if failure then return errorReply(failure.name, failure.message) end
  local results = {}
  for name, expression in pairs(expressions) do results[name] = evaluated(expression) end
  return { status = 'ok', user_expressions = results, payload = leaves and { { source = 'ask_exit', keepkernel = false } } or nil }
end

-- The text before the cursor for completion: without lines that are commands, except the Lua text after a command's name.
local function relevant(before)
  local lines = linesOf(before)
  local last = lines[#lines]
  local argument = last:match '^%s*%?%s*(.*)$' or select(2, directives.parse(last))
  if argument or last:find '^%s*:%l*$' then return argument or last end
  for i, line in ipairs(lines) do
    if statements.isCommand(line) and i < #lines then lines[i] = '' end
  end
  return table.concat(lines, '\n')
end

local kinds = { ['('] = 'function', ['.'] = 'module', [':'] = 'instance', [' '] = 'keyword', [''] = 'file' }

-- The sorted names that continue a text, their kinds, and where they begin.
local function candidates(text)
  local command = text:match '^%s*:(%l*)$'
  if command then return directives.names(command), {}, command end
  local found, start = completion.candidates(text)
  local list = {}
  for name in pairs(found) do list[#list + 1] = name end
  table.sort(list)
  return list, found, start
end

--- The completions at the cursor.
-- @string code
-- @int place characters before the cursor
-- @treturn table
function kernel.complete(code, place)
  local before = cursor.before(code, place)
  local list, found, start = candidates(relevant(before))
  local stop = cursor.length(before)
  local first, types = stop - cursor.length(start), {}
  for i, name in ipairs(list) do
    local follows = found[name]
    types[i] = { start = first, ['end'] = stop, text = name, type = kinds[follows] or 'function' }
  end
  return {
    status = 'ok', matches = list, cursor_start = first, cursor_end = stop,
    metadata = #types > 0 and { _jupyter_types_experimental = types } or {},
  }
end

--- The documentation of the name at the cursor.
-- @string code
-- @int place characters before the cursor
-- @treturn table
function kernel.inspect(code, place)
  local name = cursor.name(code, place)
  local good, text = terminal.call(traceback, function()
    local value = name and select(2, terminal.call(traceback, locals.compile('return ' .. name:gsub(':', '.')) or error))
    local known = name and evaluation.documented(name)
    if known or value == nil then return known end
    return (mime.bundle(value) or {})['text/plain']
  end)
  if not good or not text then return { status = 'ok', found = false, data = {}, metadata = {} } end
  return { status = 'ok', found = true, data = { ['text/plain'] = text }, metadata = {} }
end

local opening = { 'then%s*$', 'do%s*$', 'else%s*$', 'repeat%s*$', 'function%s*[%w_.:]*%s*%b()%s*$', '[({]%s*$' }

-- The indentation of the line after an open one.
local function indentAfter(line)
  for _, pattern in ipairs(opening) do
    if line:find(pattern) then return line:match '^%s*' .. '  ' end
  end
  return line:match '^%s*'
end

--- Whether a program is complete.
-- @string code
-- @treturn table
function kernel.isComplete(code)
  local lines = linesOf(code)
  if statements.areOpen(lines) then return { status = 'incomplete', indent = indentAfter(lines[#lines]) } end
  for _, part in ipairs(statements.parts(lines)) do
    if not part.program and not statements.isCommand(part.text) and not statements.compile(part.text) then return { status = 'invalid' } end
  end
  return { status = 'complete' }
end

--- Information about this kernel.
-- @treturn table
function kernel.info()
  return {
    status = 'ok', protocol_version = '5.3', implementation = 'moontorch', implementation_version = engine.version,
    banner = ('Moontorch %s: scientific computing for Lua. ? for help'):format(engine.version), debugger = false,
    language_info = {
      name = 'lua', version = _VERSION:match '[%d.]+', mimetype = 'text/x-lua', file_extension = '.lua', pygments_lexer = 'lua',
      codemirror_mode = 'lua',
    },
    help_links = { { text = 'Lua 5.1 reference', url = 'https://www.lua.org/manual/5.1/' } },
  }
end

-- If a frontend doesn't support input, the error says so.
local read = io.read
local function readInput(...)
  local values = { n = select('#', ...), read(...) }
  if values[1] == nil and values[2] == 'Operation not supported' then error('io.read: this frontend takes no input', 2) end
  return unpack(values, 1, math.max(values.n, 1))
end

require 'trepl.colors'.switch(false)
pretty.summarise = true
terminal.stopOpsBy(engine.askInterrupt, engine.runsGeneratedCode)
terminal.beginSession()
rawset(io, 'read', readInput)
for name, value in pairs { notebook = notebook, display = notebook.display } do
  rawset(_G, name, value)
  rawget(_G, '_preloaded_')[name] = true
end

return kernel
