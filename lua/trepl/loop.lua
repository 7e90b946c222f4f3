--- The read-eval-print loop.
-- @module trepl.loop
local terminal = require 'trepl.terminal'
local colorize = require 'trepl.colorize'
local completion = require 'trepl.completion'
local hints = require 'trepl.hints'
local history = require 'trepl.history'
local pretty = require 'trepl.pretty'
local traceback = require 'trepl.traceback'

local PROMPT, CONTINUATION = 'th> ', '..> '

local aliases = { ls = 'ls -GF', ll = 'ls -lhF', la = 'ls -ahF', lla = 'ls -lahF' }

-- What leaves the program, beside `exit`, where a program has no variable of its name.
local leaving = { quit = 'quit', ['quit()'] = 'quit', ['exit()'] = 'exit' }

local help = [[
An expression is evaluated and its value printed; a trailing ; keeps it silent. The last value is _LAST, all are in _RESULTS.
Input goes on over several lines until it is complete; an empty line ends it. Ctrl-C gives it up, or stops what is running.
  ? name           documentation of a function or class, such as ? torch.add
  $ command        runs a shell command
  TAB              completes names, fields, methods, and file names inside quotes
  who()            lists your variables            setprintlevel(n)  how deep print opens tables
  import 'name'    a package's fields as globals   noColors()        no colours from here on
  break            leaves the loop                 exit, or Ctrl-D   ends the program
]]

--- Shows where an error came from, and goes on.
local function report(message) io.stdout:write(colorize.red(message), '\n') end

local function keep(value)
  _RESULTS[#_RESULTS + 1] = value
  _LAST = value
end

--- Prints the values of an expression, without its trailing nils, and remembers the first.
local function echo(n, values)
  while n > 0 and values[n] == nil do n = n - 1 end
  if n == 0 then return end
  keep(values[1])
  print(unpack(values, 1, n))
end

local function pack(...) return select('#', ...), { ... } end

--- Compiles a line. An expression gives `true` before its values: so it is no tail call, and an error in it knows its line.
-- @treturn ?function
-- @return 'shown' or 'silent' for an expression, false for a statement, and what is wrong where there is no function
local function compile(text)
  local expression = loadstring('return true, ' .. text, '=stdin')
  if expression then return expression, text:find ';%s*$' and 'silent' or 'shown' end
  local chunk, failure = loadstring(text, '=stdin')
  return chunk, not chunk and failure
end

local locals = {}     -- names of variables that lines of this session had for themselves

--- Remembers the variables that a line declares: they end with it.
local function rememberLocals(text)
  local names = text:match '^%s*local%s+function%s+([%w_]+)' or text:match '^%s*local%s+([%w_%s,]+)'
  for name in (names or ''):gmatch '[%a_][%w_]*' do locals[name] = true end
end

--- The hint about a name that was local to an earlier line and is nothing now.
local function ofLocal(name)
  return name and locals[name] and rawget(_G, name) == nil
    and ('hint: %s was local to its line, which has ended; without local it stays'):format(name)
end

--- Runs text; its values are printed when it is an expression without a semicolon behind it.
local function evaluate(text)
  local chunk, how = compile(text)
  if not chunk then
    local hint = hints.ofSyntax(how, text)
    return report('syntax error: ' .. how .. (hint and '\n' .. hint or ''))
  end
  rememberLocals(text)
  local n, values = pack(terminal.call(traceback, chunk))
  if not values[1] then
    report(values[2])
    local hint = ofLocal(values[2] and values[2]:match "global '([%w_]+)' %(a nil value%)")
    return hint and report(hint)
  end
  if how == 'shown' then
    local ok, problem = terminal.call(traceback, echo, n - 2, { unpack(values, 3, n) })
    if not ok then report(problem) end
    local hint = n == 3 and values[3] == nil and (ofLocal(text:match '^%s*([%w_]+)%s*$') or hints.ofNothing(text))
    if hint then report(hint) end
  end
end

--- Whether more lines could make a program of text that isn't one yet: the compiler stopped at its end, and not in a
-- string, which goes on on the next line only behind a backslash.
local function incomplete(text)
  if compile(text) then return false end
  for _, form in ipairs { 'return true, ' .. text, text } do
    local _, failure = loadstring(form)
    local inString = failure:find('unfinished string', 1, true) and not text:find '\\$'
    if failure:find "near '<eof>'$" and not inString then return true end
  end
  return false
end

--- Reads until the text is complete, or an empty line says that nothing more comes.
-- @treturn ?string
-- @treturn ?string why there is none: 'end' or 'interrupt'
local function readInput(prompts)
  local text, why = terminal.readLine(prompts and PROMPT or '')
  if not text then return nil, why end
  text = text:gsub('^%s*=', '')
  if text:find '^%s*[?$]' or not text:find '%S' then return text end
  while incomplete(text) do
    local more
    more, why = terminal.readLine(prompts and CONTINUATION or '')
    if why == 'interrupt' then return nil, why end
    if not more or more == '' then break end
    text = text .. '\n' .. more
  end
  return text
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
  local text = require 'trepl.help'.of(expression)
  io.stdout:write(text or 'error: no documentation of ' .. expression, '\n')
  local hint = not text and hints.ofNothing(expression)
  if hint then report(hint) end
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

--- Runs the loop until `break`, or the end of the program.
local function loop()
  local interactive = terminal.isTerminal(0)
  local prompts = interactive
  if interactive then
    banner()
    terminal.setCompleter(completion.complete)
    history.load()
  end
  terminal.beginSession()
  pretty.summarise = true
  while true do
    io.stdout:flush()
    local text, why = readInput(prompts)
    local word = text and text:match '^%s*(.-)%s*$'
    if not text and why == 'end' or word == 'exit' or leaving[word] and rawget(_G, leaving[word]) == nil then
      if not interactive then break end
      if why == 'end' then io.stdout:write '\n' end
      if confirmExit() then os.exit(0, true) end
    elseif word == 'break' then
      break
    elseif word and word ~= '' then
      local start = terminal.now()
      if word:sub(1, 1) == '$' then
        shell(word:match '^%$%s*(.*)$')
      else
        if interactive then history.add(text) end
        if word == '?' then
          io.stdout:write(help)
        elseif word:sub(1, 1) == '?' then
          describe(word:match '^%?%s*(.*)$')
        else
          evaluate(text)
        end
      end
      if interactive then
        io.stdout:write((' '):rep(70), colorize.Black(('[%.4fs]'):format(terminal.now() - start)), '\n')
      end
    end
  end
  pretty.summarise = false
end

return loop
