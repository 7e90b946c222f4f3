--- The read-eval-print loop.
-- @module trepl.loop
local terminal = require 'trepl.terminal'
local colorize = require 'trepl.colorize'
local completion = require 'trepl.completion'
local directives = require 'trepl.directives'
local hints = require 'trepl.hints'
local history = require 'trepl.history'
local locals = require 'trepl.locals'
local pretty = require 'trepl.pretty'
local screen = require 'trepl.screen'
local statements = require 'trepl.statements'
local traceback = require 'trepl.traceback'

local PROMPT, CONTINUATION = 'th> ', '..> '

local aliases = { ls = 'ls -GF', ll = 'ls -lhF', la = 'ls -ahF', lla = 'ls -lahF' }

local help = [[
An expression is evaluated and its value printed; a trailing ; keeps it silent. The last value is _1, the one before _2, and so on; all
are in _RESULTS. Local variables stay known. Input goes on over several lines until it is complete; an empty line ends it. Ctrl-C gives
it up, or stops what is running.
  ? name           documentation of a function or class, such as ? torch.add
  $ command        runs a shell command
  TAB              completes names, fields, methods, and inside quotes names of files and of packages
  Ctrl-R           searches the history backwards
  who()            lists your variables            setprintlevel(n)  how deep print opens tables
  import 'name'    a package's fields as globals   noColors()        no colours from here on
  break            leaves the loop                 exit, or Ctrl-D   ends the program
]] .. directives.text()

local status = 0      -- what a program would end with that did what this loop has run

--- Shows where an error came from, or a hint, and goes on.
local function report(message) io.stdout:write(colorize.red(message), '\n') end

local FORMER = 9      -- results that have names of their own

--- Remembers a result: the last is _LAST and _1, the one before _2, ...
local function keep(value)
  local n = #_RESULTS + 1
  _RESULTS[n] = value
  _LAST = value
  for i = 1, math.min(n, FORMER) do rawset(_G, '_' .. i, _RESULTS[n + 1 - i]) end
end

--- Prints the values of an expression, without its trailing nils, and remembers the first.
local function echo(n, values)
  while n > 0 and values[n] == nil do n = n - 1 end
  if n == 0 then return end
  keep(values[1])
  print(unpack(values, 1, n))
end

local function pack(...) return select('#', ...), { ... } end

--- What handles errors of an input: what it has declared stays.
local function handler(f, declared)
  if not declared then return traceback end
  return function(message)
    locals.rescue(f, declared)
    return traceback(message)
  end
end

--- Calls what was compiled; an error is shown.
-- @treturn boolean whether there was none
-- @treturn int how many values came
-- @treturn table
local function call(chunk, declared, ...)
  local n, values = pack(terminal.call(handler(chunk, declared), chunk, ...))
  if values[1] then
    values = { unpack(values, 2, n) }
    if declared then locals.keep(declared, values[1]) end
    return true, n - 1, values
  end
  status = values[3] and 130 or 1
  report(values[2] or 'error: nil')
  return false
end

local function show(...) echo(pack(...)) end
local function drop() end

local function reportSyntax(failure, text)
  status = 1
  local unknown = text:match '^%s*(:%l+)'
  if unknown then return report('error: no command ' .. unknown .. '; :help lists them') end
  local hint = hints.ofSyntax(failure, text)
  report('syntax error: ' .. failure .. (hint and '\n' .. hint or ''))
end

--- Runs a statement; its values are printed when it is an expression without a semicolon behind it.
local function evaluate(text, line)
  local chunk, how, declared = statements.compile(text, line, locals.compile)
  if not chunk then return reportSyntax(how, text) end
  local good, n, values = call(chunk, declared)
  if not good or how ~= 'shown' then return end
  call(echo, nil, n - 1, { unpack(values, 2, n) })
  local hint = n == 2 and values[2] == nil and hints.ofNothing(text)
  if hint then report(hint) end
end

--- Runs several statements together.
local function evaluateAll(part)
  local chunk, failure, declared = locals.compile(part.program, statements.PARAMETERS)
  if not chunk then return reportSyntax(failure, part.text) end
  call(chunk, declared, show, drop)
end

--- Reads a statement, or all lines that wait behind its first: pasted ones come together.
-- @treturn ?{string,...} with the field `pasted` where the terminal has marked them
-- @treturn ?string why there are none: 'end' or 'interrupt'
local function readLines(prompts)
  local lines = { pasted = false }
  repeat
    local prompt = not prompts and '' or #lines == 0 and PROMPT or CONTINUATION
    local line, why = terminal.readLine(prompt)
    if why == 'interrupt' or #lines == 0 and not line then return nil, why end
    for part in ((line or '') .. '\n'):gmatch '(.-)\n' do lines[#lines + 1] = part end      -- several of the history's
    local waiting, pasted = terminal.hasInput()
    waiting, lines.pasted = line and waiting, lines.pasted or pasted
    local isEmpty = not line or line == ''
    local isCommand = line and statements.isCommand(line) and not statements.areOpen(lines)      -- it may read the next line itself
  until isCommand or not waiting and (isEmpty or not statements.areOpen(lines))
  return lines
end

--- All lines of the standard input, which is no terminal. A first one for the shell, `#!...`, is none of the program.
local function readAll()
  local lines = {}
  for line in function() return (terminal.readLine '') end do lines[#lines + 1] = line end
  if lines[1] then lines[1] = lines[1]:gsub('^#.*$', '') end
  return lines
end

--- Runs a shell command; its output is shown as it comes, and is a result. Ctrl-C ends it.
local function shell(command)
  local first = command:match '^%S*'
  if aliases[first] then command = aliases[first] .. command:sub(#first + 1) end
  local pipe = io.popen(command)
  local output = {}
  for line in function() return (pipe:read '*L') end do      -- nil after Ctrl-C, too
    io.stdout:write(line)
    io.stdout:flush()
    output[#output + 1] = line
  end
  pipe:close()
  keep(table.concat(output))
end

--- Shows what is known about an expression, or what it is called here.
local function describe(expression)
  local text = directives.of(expression) or require 'trepl.help'.of(expression)
  io.stdout:write(text and screen.wrap(text) or 'error: no documentation of ' .. expression, '\n')
  local hint = not text and hints.ofNothing(expression)
  if hint then report(hint) end
end

local session = {
  help = help,
  describe = describe,
  compile = function(text)
    local chunk, how = statements.compile(text, 1, locals.compile)
    if not chunk then reportSyntax(how, text) end
    return chunk
  end,
  call = function(f, ...)
    local good, _, values = call(f, nil, ...)
    return good, values and values[1]
  end,
}

local function confirmExit()
  local answer, why = terminal.readLine 'Do you really want to exit ([y]/n)? '
  return why == 'end' or answer == '' or answer and answer:lower() == 'y'
end

local function banner()
  io.stdout:write(colorize.Cyan [[

  .--.   Moontorch
 ( (  `  Scientific computing for Lua.
  `--'   Type ? for help
]], '\n')
end

--- Runs a part of what was read.
-- @treturn boolean whether it was `break`
local function run(part, interactive)
  local word = part.text:match '^%s*(.-)%s*$'
  if word == 'break' then return true end
  if statements.leaves(word) then
    if not interactive then return true end
    if confirmExit() then os.exit(0, true) end
    return false
  end
  screen.fit()
  local start = terminal.now()
  if word:sub(1, 1) == '$' then
    shell(word:match '^%$%s*(.*)$')
  else
    if interactive then history.add(part.text) end
    if word == '?' then
      io.stdout:write(screen.wrap(help))
    elseif word:sub(1, 1) == '?' then
      describe(word:match '^%?%s*(.*)$')
    elseif directives.parse(word) then
      local name, argument = directives.parse(word)
      directives.run(name, argument, session)
    elseif part.program then
      evaluateAll(part)
    else
      evaluate(part.text, part.line)
    end
  end
  local seconds = terminal.now() - start
  if interactive then io.stdout:write((' '):rep(screen.marginOfTime()), colorize.Black(('[%.4fs]'):format(seconds)), '\n') end
  return false
end

--- Runs the parts of what was read; of what was pasted as one none behind one that fails.
-- @treturn boolean whether the loop is left
local function runAll(parts, interactive, pasted)
  if interactive then status = 0 end
  for i, part in ipairs(parts) do
    if run(part, interactive) or status == 130 and not interactive then return true end
    if pasted and status ~= 0 then
      if parts[i + 1] then report(('the rest of what was pasted, from line %d on, has not run'):format(parts[i + 1].line)) end
      return false
    end
  end
  return false
end

--- Runs the loop until `break`, or the end of the program.
-- @tparam[opt=false] boolean whole whether a standard input that is no terminal is read to its end before anything runs
-- @treturn int the exit status, which is 0 behind a terminal
local function loop(whole)
  local interactive = terminal.isTerminal(0)
  if interactive then
    banner()
    terminal.setCompleter(completion.complete)
    history.load()
  end
  if interactive or not whole then terminal.beginSession() end      -- a program on a pipe is a script: its loops run at full speed
  status = 0
  pretty.summarise = true
  local left = false
  while not left do
    io.stdout:flush()
    local lines, why
    if whole and not interactive then lines = readAll() else lines, why = readLines(interactive) end
    if why == 'end' then
      if not interactive then break end
      io.stdout:write '\n'
      if confirmExit() then os.exit(0, true) end
    end
    left = runAll(statements.parts(lines or {}), interactive, lines and lines.pasted)
    left = left or whole and not interactive
  end
  pretty.summarise = false
  return interactive and 0 or status
end

return loop
