--- The loop's commands, such as `:time f(x)`, by their names.
-- Each is called with the text after its name and with a table from the loop: `compile`, which compiles a text, `call`, which
-- runs a function, shows its error and returns whether it succeeded, `describe`, which shows the documentation of a name, and `help`, the
-- text on the loop.
-- @module trepl.directives
local directives = {}

-- One line per command: the name, its arguments, and its effect.
local list = [[
time EXPRESSION: how long an evaluation takes; it runs as often as is needed to tell
profile EXPRESSION: where its time goes, by lines and functions
mem [EXPRESSION]: the memory of tensors, of Lua and of the process, and the largest variables; of an expression, memory by line
doc NAME: documentation of a function, class or package, as ? NAME
help [COMMAND]: this list, or what one of them does
]]

local known = {}
for usage, name, meaning in list:gmatch '((%l+)[^:\n]*): ([^\n]+)' do
  known[#known + 1] = name
  known[name] = { usage = usage, meaning = meaning }
end

--- The command in a line.
-- @string line
-- @treturn ?string its name, nil if the line isn't a command
-- @treturn ?string the text after the name
function directives.parse(line)
  local name, argument = line:match '^%s*:(%l+)%f[%s%z]%s*(.-)%s*$'
  if known[name] then return name, argument end
end

--- The names with this beginning.
-- @string start
-- @treturn {string,...}
function directives.names(start)
  local names = {}
  for _, name in ipairs(known) do
    if name:sub(1, #start) == start then names[#names + 1] = name end
  end
  return names
end

local function line(name) return ('  :%-18s %s\n'):format(known[name].usage, known[name].meaning) end

--- The list of commands, one per line.
-- @treturn string
function directives.text()
  local lines = {}
  for i, name in ipairs(known) do lines[i] = line(name) end
  return table.concat(lines)
end

--- The description of a command.
-- @string name with its colon
-- @treturn ?string
function directives.of(name)
  name = name:match '^:(%l+)$'
  return known[name] and line(name)
end

local run = {}

function run.help(argument, session)
  local text = argument == '' and session.help or directives.of(':' .. argument:gsub('^:', ''))
  io.stdout:write(text and require 'trepl.screen'.wrap(text) or 'error: no command ' .. argument .. '\n')
end

function run.doc(argument, session) session.describe(argument) end


--- A command that measures a text and writes the report, unless compilation or the run fails.
local function measured(report)
  return function(argument, session)
    local chunk = session.compile(argument)
    local good, text = false, nil
    if chunk then good, text = session.call(report, chunk) end
    if good then io.stdout:write(text) end
  end
end

run.time = measured(function(chunk) return require 'trepl.measure'.text(chunk) end)
local memoryOf = measured(function(chunk) return require 'trepl.memory'.textOf(chunk) end)

function run.mem(argument, session)
  if argument ~= '' then return memoryOf(argument, session) end
  io.stdout:write(require 'trepl.memory'.text())
end

run.profile = measured(function(chunk) return require 'trepl.sampling'.text(chunk) end)

--- Runs a command.
-- @string name
-- @string argument
-- @tparam table session
function directives.run(name, argument, session)
  if argument == '' and known[name].usage:find '^%l+ %u' then
    io.stdout:write('error: an argument is missing: :', known[name].usage, '\n')
  else
    run[name](argument, session)
  end
end

return directives
