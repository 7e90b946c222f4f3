--- Splits typed, pasted or piped lines into statements, which run one by one, or together from the first that declares a local variable.
-- @module trepl.statements
local directives = require 'trepl.directives'

local statements = {}

local function plain(text) return loadstring(text, '=stdin') end

--- Compiles text. An expression returns `true` before its values, so that it isn't a tail call and an error in it has a line.
-- @string text
-- @int[opt=1] line first line number
-- @tparam[opt] function load the compiler, like loadstring; `trepl.locals.compile` knows the session's local variables
-- @treturn ?function
-- @return 'shown' or 'silent' for an expression, false for a statement, and the error if there is no function
-- @return further results of `load` for a statement
function statements.compile(text, line, load)
  load = load or plain
  local above = ('\n'):rep((line or 1) - 1)
  local expression = load(above .. 'return true, ' .. text)
  if expression then return expression, text:find ';%s*$' and 'silent' or 'shown' end
  local chunk, failure, more = load(above .. text)
  return chunk, not chunk and failure, more
end

--- Whether more lines could complete text that doesn't compile: the compiler stopped at its end, and not in a
-- string, which continues on the next line only after a backslash.
-- @string text
-- @treturn boolean
function statements.isOpen(text)
  if statements.compile(text) then return false end
  for _, form in ipairs { 'return true, ' .. text, text } do
    local _, failure = loadstring(form)
    local inString = failure:find('unfinished string', 1, true) and not text:find '\\$'
    if failure:find "near '<eof>'$" and not inString then return true end
  end
  return false
end

--- The arguments of a program of several statements: functions for the values of expressions, of expressions before a semicolon, and of
-- an expression at the program's end.
statements.PARAMETERS = '_show, _drop, _last'

local leaving = { exit = 'exit', quit = 'quit', ['quit()'] = 'quit', ['exit()'] = 'exit' }

--- Whether a line exits the program: `exit`, or a similar word if no variable has that name.
-- @string line
-- @treturn boolean
function statements.leaves(line)
  local word = line:match '^%s*(.-)%s*$'
  return word == 'exit' or leaving[word] ~= nil and rawget(_G, leaving[word]) == nil
end

--- Whether a line is a command of the loop, not Lua: `? name`, `$ command`, `:time x` etc., `break`, and words that exit the program.
-- @string line
-- @treturn boolean
function statements.isCommand(line)
  local isBreak = line:find '^%s*break%s*$' ~= nil
  return line:find '^%s*[?$]' ~= nil or isBreak or directives.parse(line) ~= nil or statements.leaves(line)
end

-- Some lines as one text, without the `=` that plain Lua accepts before an expression.
local function textOf(lines, first, last) return (table.concat(lines, '\n', first, last):gsub('^%s*=', '')) end

-- Whether a long statement may end with a line. Limits the number of trials, each of which compiles the whole text.
local function mayEnd(line) return line:find '^%s*end' or line:find '^%s*until' or line:find '^%s*[%]})]' end

-- Beginnings of lines that continue an expression; a minus does so only if it is indented.
local goesOn = {
  '^%s*:%s*[%a_][%w_]*%s*[({"\'%[]', '^%s*%.[%a_.]', '^%s*[+*/^%%,<>]', '^%s*[~=]=', '^%s*and%f[^%w_]', '^%s*or%f[^%w_]',
}

-- Whether a statement continues after line i, with a method call or an operator.
local function continues(lines, first, i)
  repeat i = i + 1 until not lines[i] or lines[i]:find '%S' and not lines[i]:find '^%s*%-%-'
  if not lines[i] or statements.isCommand(lines[i]) then return false end
  for _, start in ipairs(goesOn) do
    if lines[i]:find(start) then return true end
  end
  return lines[i]:find '^%s*%-[^-]' and #lines[i]:match '^%s*' > #lines[first]:match '^%s*'
end

-- The last line of the statement that begins at line i. An incomplete statement extends to the first empty line, and is open.
local function lastLine(lines, i)
  local _, indent = lines[i]:find '^%s*'
  for last = i, #lines do
    local _, here = lines[last]:find '^%s*'
    local worthTrying = last - i < 50 or last == #lines or here <= indent and mayEnd(lines[last])
    if worthTrying and not statements.isOpen(textOf(lines, i, last)) and not continues(lines, i, last) then return last end
  end
  for last = i, #lines do
    if lines[last] == '' then return last, true end
  end
  return #lines, true
end

-- Returns statements and commands, each with its first line, and whether one is incomplete.
local function cut(lines)
  local parts, i, open = {}, 1, false
  while lines[i] do
    local last = i
    if lines[i]:find '%S' then
      local isCommand, isOpen = statements.isCommand(lines[i]), false
      if not isCommand then last, isOpen = lastLine(lines, i) end
      parts[#parts + 1] = { text = textOf(lines, i, last), line = i, command = isCommand }
      open = open or isOpen
    end
    i = last + 1
  end
  return parts, open
end

--- Whether lines end inside a statement.
-- @tparam {string,...} lines
-- @treturn boolean
function statements.areOpen(lines)
  local _, open = cut(lines)
  return open
end

--- Whether to show an expression's value among other parts of an input: a call that is also a statement is silent, as in a file, except at
-- the end.
-- @string text
-- @param how from `statements.compile`
-- @tparam boolean isLast
-- @return 'shown', 'silent', or false for a statement
function statements.treated(text, how, isLast) return how == 'shown' and not isLast and plain(text) and 'silent' or how end

-- Joins the parts from `first` to `last` to one chunk, which passes expressions to its arguments; line numbers are unchanged.
local function join(parts, first, last)
  local pieces, at, close = { ('\n'):rep(parts[first].line - 1) }, parts[first].line, ''
  for i = first, last do
    local part = parts[i]
    local how = statements.treated(part.text, select(2, statements.compile(part.text)), i == last)
    local text = part.text
    if how == 'shown' or how == 'silent' then
      text = (how == 'silent' and '_drop(' or i == last and '_last(' or '_show(') .. text:gsub(';%s*$', '')
    end
    local apart = part.text:find '^%s*%(' and close == '' and i > first and '; ' or ''      -- not a call of the expression before it
    pieces[#pieces + 1] = ('\n'):rep(part.line - at) .. close .. apart .. text
    close = (how == 'shown' or how == 'silent') and '); ' or ''
    at = part.line + select(2, part.text:gsub('\n', ''))
  end
  pieces[#pieces + 1] = '\n' .. close
  return table.concat(pieces)
end

-- The part that combines several parts; nil if it doesn't compile.
local function together(lines, parts, first, last)
  local program = join(parts, first, last)
  local stop = parts[last].line + select(2, parts[last].text:gsub('\n', ''))
  return loadstring(('local %s = ... '):format(statements.PARAMETERS) .. program)
    and { text = table.concat(lines, '\n', parts[first].line, stop), line = parts[first].line, program = program }
end

--- Splits lines of one input into parts: `text`, its first `line`, and for statements that must run as one program because of a local
-- variable, `program`: text to compile as a function of `PARAMETERS`.
-- @tparam {string,...} lines
-- @treturn {table,...}
function statements.parts(lines)
  local parts, result, i = cut(lines), {}, 1
  while parts[i] do
    local last = i
    if parts[i].text:find '^%s*local%s' then
      while parts[last + 1] and not parts[last + 1].command do last = last + 1 end
    end
    local whole = last > i and together(lines, parts, i, last)
    result[#result + 1] = whole or parts[i]
    i = whole and last + 1 or i + 1
  end
  return result
end

return statements
