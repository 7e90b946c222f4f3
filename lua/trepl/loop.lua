--- The read-eval-print loop.
-- @module trepl.loop
local terminal = require 'trepl.terminal'
local colorize = require 'trepl.colorize'
local completion = require 'trepl.completion'
local directives = require 'trepl.directives'
local evaluation = require 'trepl.evaluation'
local history = require 'trepl.history'
local pretty = require 'trepl.pretty'
local screen = require 'trepl.screen'
local statements = require 'trepl.statements'

local PROMPT, CONTINUATION = 'th> ', '..> '

local help = [[
An expression is evaluated and its value printed; a trailing ; keeps it silent. The last value is _1, the one before _2, and so on; all
are in _RESULTS. Local variables stay known. Input may have several lines: it runs when it is complete; an empty line ends it. Ctrl-C gives
it up, or stops what is running.
  ? name           documentation of a function, class or package, such as ? torch.add; ? words searches
  $ command        runs a shell command
  TAB              completes names, fields, methods, and inside quotes names of files and of packages
  Ctrl-R           searches the history backwards
  who()            lists your variables            setprintlevel(n)  how deep print opens tables
  import 'name'    a package's fields as globals   noColors()        no colours from here on
  break            leaves the loop                 exit, or Ctrl-D   ends the program
]] .. directives.text()

--- Shows an error with its origin, or a hint; the loop continues.
local function report(message) io.stdout:write(colorize.red(message), '\n') end

local session = evaluation.session {
  help = help,
  report = report,
  show = function(n, values) (_G.print or require 'trepl.print'.print)(unpack(values, 1, n)) end,
}

--- Reads a statement, or all pending lines after its first: pasted lines are read together.
-- @treturn ?{string,...} with the field `pasted`, true if the terminal has marked them as pasted
-- @treturn ?string the reason if there are none: 'end' or 'interrupt'
local function readLines(prompts)
  local lines = { pasted = false }
  repeat
    local prompt = not prompts and '' or #lines == 0 and PROMPT or CONTINUATION
    local line, why = terminal.readLine(prompt)
    if why == 'interrupt' or #lines == 0 and not line then return nil, why end
    for part in ((line or '') .. '\n'):gmatch '(.-)\n' do lines[#lines + 1] = part end      -- history entries may have several lines
    local waiting, pasted = terminal.hasInput()
    waiting, lines.pasted = line and waiting, lines.pasted or pasted
    local isEmpty = not line or line == ''
    local isCommand = line and statements.isCommand(line) and not statements.areOpen(lines)      -- it may read the next line itself
  until isCommand or not waiting and (isEmpty or not statements.areOpen(lines))
  return lines
end

--- All lines of a standard input that is not a terminal, without a first line for the shell, `#!...`.
local function readAll()
  local lines = {}
  for line in function() return (terminal.readLine '') end do lines[#lines + 1] = line end
  if lines[1] then lines[1] = lines[1]:gsub('^#.*$', '') end
  return lines
end

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

--- Runs a part of the input.
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
  if interactive and word:sub(1, 1) ~= '$' then history.add(part.text) end
  session:run(part)
  local seconds = terminal.now() - start
  if interactive then io.stdout:write((' '):rep(screen.marginOfTime()), colorize.Black(('[%.4fs]'):format(seconds)), '\n') end
  return false
end

--- Runs the parts of the input; after a failure in pasted input the rest is skipped.
-- @treturn boolean whether the loop ends
local function runAll(parts, interactive, pasted)
  if interactive then session.status = 0 end
  for i, part in ipairs(parts) do
    if run(part, interactive) or session.status == 130 and not interactive then return true end
    if pasted and session.status ~= 0 then
      if parts[i + 1] then report(('the rest of what was pasted, from line %d on, has not run'):format(parts[i + 1].line)) end
      return false
    end
  end
  return false
end

--- Runs the loop until `break`, or the end of the program.
-- @tparam[opt=false] boolean whole whether a standard input that is not a terminal is read to its end before anything runs
-- @treturn int the exit status, which is 0 on a terminal
local function loop(whole)
  local interactive = terminal.isTerminal(0)
  if interactive then
    banner()
    terminal.setCompleter(completion.complete)
    history.load()
  end
  if interactive or not whole then terminal.beginSession() end      -- a program on a pipe is a script: its loops run at full speed
  session.status = 0
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
  return interactive and 0 or session.status
end

return loop
