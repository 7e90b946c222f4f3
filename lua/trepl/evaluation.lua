--- Evaluates an input in a session, from th's prompt or a cell of a notebook.
-- @module trepl.evaluation
local terminal = require 'trepl.terminal'
local directives = require 'trepl.directives'
local hints = require 'trepl.hints'
local locals = require 'trepl.locals'
local screen = require 'trepl.screen'
local statements = require 'trepl.statements'
local traceback = require 'trepl.traceback'

local aliases = { ls = 'ls -GF', ll = 'ls -lhF', la = 'ls -ahF', lla = 'ls -lahF' }

local FORMER = 9      -- number of results with a name: _1 to _9

local Session = {}
Session.__index = Session

--- Stores a result: the last is _LAST and _1, the one before _2, ...
local function keep(value)
  local n = #_RESULTS + 1
  _RESULTS[n] = value
  _LAST = value
  for i = 1, math.min(n, FORMER) do rawset(_G, '_' .. i, _RESULTS[n + 1 - i]) end
end

local function pack(...) return select('#', ...), { ... } end

--- Shows the values of an expression without trailing nils, and stores the first.
local function echo(self, isLast, n, values)
  while n > 0 and values[n] == nil do n = n - 1 end
  if n == 0 then return end
  keep(values[1])
  self.show(n, values, isLast)
end

--- Returns the error handler of an input, which preserves the variables that the input has declared.
local function handler(f, declared)
  if not declared then return traceback end
  return function(message)
    locals.rescue(f, declared)
    return traceback(message)
  end
end

--- Calls a compiled chunk and reports an error.
-- @treturn boolean whether it succeeded
-- @treturn int number of results
-- @treturn table
local function call(self, chunk, declared, ...)
  local n, values = pack(terminal.call(handler(chunk, declared), chunk, ...))
  if values[1] then
    values = { unpack(values, 2, n) }
    if declared then locals.keep(declared, values[1]) end
    return true, n - 1, values
  end
  self.status = values[3] and 130 or 1
  self.report(values[2] or 'error: nil', values[3] and 'interrupt' or 'error')
  return false
end

local function reportSyntax(self, failure, text)
  self.status = 1
  local unknown = text:match '^%s*(:%l+)'
  if unknown then return self.report('error: no command ' .. unknown .. '; :help lists them', 'syntax') end
  local hint = hints.ofSyntax(failure, text)
  self.report('syntax error: ' .. failure .. (hint and '\n' .. hint or ''), 'syntax')
end

--- Runs a statement; shows its values if it is an expression without a trailing semicolon.
local function evaluate(self, text, line, isLast)
  local chunk, how, declared = statements.compile(text, line, locals.compile)
  if not chunk then return reportSyntax(self, how, text) end
  how = statements.treated(text, how, isLast ~= false)
  local good, n, values = call(self, chunk, declared)
  if not good or how ~= 'shown' then return end
  call(self, echo, nil, self, isLast, n - 1, { unpack(values, 2, n) })
  local hint = n == 2 and values[2] == nil and hints.ofNothing(text)
  if hint then self.report(hint, 'hint') end
end

local function drop() end

--- Runs several statements together.
local function evaluateAll(self, part, isLast)
  local chunk, failure, declared = locals.compile(part.program, statements.PARAMETERS)
  if not chunk then return reportSyntax(self, failure, part.text) end
  local function show(...) echo(self, false, pack(...)) end
  local function last(...) echo(self, isLast, pack(...)) end
  call(self, chunk, declared, show, drop, last)
end

--- Runs a shell command; shows its output immediately and stores it as a result. Ctrl-C ends the command.
local function shell(command)
  local first = command:match '^%S*'
  if aliases[first] then command = aliases[first] .. command:sub(#first + 1) end
  local pipe = io.popen(command)
  local output = {}
  for line in function() return (pipe:read '*L') end do      -- also nil after Ctrl-C
    io.stdout:write(line)
    io.stdout:flush()
    output[#output + 1] = line
  end
  pipe:close()
  keep(table.concat(output))
end

--- The documentation of an expression, or its name in Moontorch.
-- @string expression
-- @treturn ?string its documentation
-- @treturn ?string a hint to write instead or in addition
local function documented(expression)
  local text = directives.of(expression) or require 'trepl.help'.of(expression)
  return text, not text and hints.ofNothing(expression)
end

--- Shows the documentation of an expression, or, for other words, search results.
local function describe(self, expression)
  local text, hint = documented(expression)
  local areWords = not text and expression:find '^[%w_][%w_%s-]*$'
  local found = areWords and require 'trepl.search'(expression, terminal.width())
  io.stdout:write(text and screen.wrap(text) or found or 'error: no documentation of ' .. expression, '\n')
  if hint and not found then self.report(hint, 'hint') end
end

-- The functions for commands such as :time (trepl.directives).
local function offered(self)
  return {
    help = self.help,
    describe = function(expression) describe(self, expression) end,
    compile = function(text)
      local chunk, how = statements.compile(text, 1, locals.compile)
      if not chunk then reportSyntax(self, how, text) end
      return chunk
    end,
    call = function(f, ...)
      local good, _, values = call(self, f, nil, ...)
      return good, values and values[1]
    end,
  }
end

--- Whether a part of an input can run; reports syntax errors.
-- @tparam table part from `statements.parts`
-- @treturn boolean
function Session:check(part)
  if part.program or statements.isCommand(part.text) then return true end
  local chunk, failure = statements.compile(part.text, part.line, locals.compile)
  if not chunk then reportSyntax(self, failure, part.text) end
  return chunk ~= nil
end

-- Discards progress bars of loops that ended early.
local function forgetBars()
  for _, name in ipairs { 'xlua.bar', 'xlua.progress' } do
    if package.loaded[name] then package.loaded[name].forget() end
  end
end

--- Runs a part of an input: a command, a statement, or several together.
-- @tparam table part from `statements.parts`
-- @tparam[opt] boolean isLast for an input that is a program: whether it is the last part, passed to `show`. Earlier calls show nothing
function Session:run(part, isLast)
  forgetBars()
  local word = part.text:match '^%s*(.-)%s*$'
  if word:sub(1, 1) == '$' then
    shell(word:match '^%$%s*(.*)$')
  elseif word == '?' then
    io.stdout:write(screen.wrap(self.help))
  elseif word:sub(1, 1) == '?' then
    local good, problem = pcall(describe, self, word:match '^%?%s*(.*)$')
    if not good then self.report(tostring(problem), 'error') end
  elseif directives.parse(word) then
    local name, argument = directives.parse(word)
    directives.run(name, argument, offered(self))
  elseif part.program then
    evaluateAll(self, part, isLast)
  else
    evaluate(self, part.text, part.line, isLast)
  end
end

local evaluation = { documented = documented }

--- Creates a session.
-- @tparam table host functions: `show(n, values, isLast)` shows the values of an expression; `report(message, kind)` shows an error, with
-- kind 'error', 'interrupt' (Ctrl-C) or 'syntax', or a hint ('hint'); `help` is the text that `?` alone shows
-- @treturn table with the methods `run` and `check`, and `status`: 0, 1 after a failure, or 130 after Ctrl-C
function evaluation.session(host)
  host.status = 0
  return setmetatable(host, Session)
end

return evaluation
