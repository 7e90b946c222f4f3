--- What typed, pasted or piped lines are run as: statements one by one, and together from the first that declares a local variable.
-- @module trepl.statements
local directives = require 'trepl.directives'

local statements = {}

local function plain(text) return loadstring(text, '=stdin') end

--- Compiles text. An expression gives `true` before its values: so it is no tail call, and an error in it knows its line.
-- @string text
-- @int[opt=1] line where it begins
-- @tparam[opt] function load what compiles, as loadstring; `trepl.locals.compile` knows the session's local variables
-- @treturn ?function
-- @return 'shown' or 'silent' for an expression, false for a statement, and what is wrong where there is no function
-- @return what `load` says of a statement beside that
function statements.compile(text, line, load)
  load = load or plain
  local above = ('\n'):rep((line or 1) - 1)
  local expression = load(above .. 'return true, ' .. text)
  if expression then return expression, text:find ';%s*$' and 'silent' or 'shown' end
  local chunk, failure, more = load(above .. text)
  return chunk, not chunk and failure, more
end

--- Whether more lines could make a program of text that isn't one yet: the compiler stopped at its end, and not in a
-- string, which goes on on the next line only behind a backslash.
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

--- The arguments of a program of several statements: what takes the values of each expression, of those that a semicolon silences, and of
-- one at the program's end.
statements.PARAMETERS = '_show, _drop, _last'

local leaving = { exit = 'exit', quit = 'quit', ['quit()'] = 'quit', ['exit()'] = 'exit' }

--- Whether a line asks to leave the program: `exit`, and its likes where a program has no variable of that name.
-- @string line
-- @treturn boolean
function statements.leaves(line)
  local word = line:match '^%s*(.-)%s*$'
  return word == 'exit' or leaving[word] ~= nil and rawget(_G, leaving[word]) == nil
end

--- Whether a line is for the loop itself, and no Lua: `? name`, `$ command`, `:time x` and its likes, `break`, and what leaves the program.
-- @string line
-- @treturn boolean
function statements.isCommand(line)
  local isBreak = line:find '^%s*break%s*$' ~= nil
  return line:find '^%s*[?$]' ~= nil or isBreak or directives.parse(line) ~= nil or statements.leaves(line)
end

-- Some lines as one text. Plain Lua's habit of a `=` before an expression is none of it.
local function textOf(lines, first, last) return (table.concat(lines, '\n', first, last):gsub('^%s*=', '')) end

-- Whether a long statement may end with a line: every trial compiles it all.
local function mayEnd(line) return line:find '^%s*end' or line:find '^%s*until' or line:find '^%s*[%]})]' end

-- How a line begins that goes on with an expression; with a minus only where it is indented.
local goesOn = {
  '^%s*:%s*[%a_][%w_]*%s*[({"\'%[]', '^%s*%.[%a_.]', '^%s*[+*/^%%,<>]', '^%s*[~=]=', '^%s*and%f[^%w_]', '^%s*or%f[^%w_]',
}

-- Whether a statement goes on behind line i: with a method's call, or an operator.
local function continues(lines, first, i)
  repeat i = i + 1 until not lines[i] or lines[i]:find '%S' and not lines[i]:find '^%s*%-%-'
  if not lines[i] or statements.isCommand(lines[i]) then return false end
  for _, start in ipairs(goesOn) do
    if lines[i]:find(start) then return true end
  end
  return lines[i]:find '^%s*%-[^-]' and #lines[i]:match '^%s*' > #lines[first]:match '^%s*'
end

-- The last line of the statement that begins at line i. One that never ends goes to the first empty line, and is open.
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

-- Statements and commands, each with the line where it begins; and whether one never ends.
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

--- Whether lines end within a statement.
-- @tparam {string,...} lines
-- @treturn boolean
function statements.areOpen(lines)
  local _, open = cut(lines)
  return open
end

--- How the value of an expression is treated among other parts of an input: a call that is a statement, too, is one, as in a file, but the
-- last.
-- @string text
-- @param how what `statements.compile` says of it
-- @tparam boolean isLast
-- @return 'shown', 'silent', or false for a statement
function statements.treated(text, how, isLast) return how == 'shown' and not isLast and plain(text) and 'silent' or how end

-- One chunk of the parts from `first` to `last`, whose expressions are handed to its arguments; lines keep their numbers.
local function join(parts, first, last)
  local pieces, at, close = { ('\n'):rep(parts[first].line - 1) }, parts[first].line, ''
  for i = first, last do
    local part = parts[i]
    local how = statements.treated(part.text, select(2, statements.compile(part.text)), i == last)
    local text = part.text
    if how == 'shown' or how == 'silent' then
      text = (how == 'silent' and '_drop(' or i == last and '_last(' or '_show(') .. text:gsub(';%s*$', '')
    end
    local apart = part.text:find '^%s*%(' and close == '' and i > first and '; ' or ''      -- no call of what stands before
    pieces[#pieces + 1] = ('\n'):rep(part.line - at) .. close .. apart .. text
    close = (how == 'shown' or how == 'silent') and '); ' or ''
    at = part.line + select(2, part.text:gsub('\n', ''))
  end
  pieces[#pieces + 1] = '\n' .. close
  return table.concat(pieces)
end

-- The part that several are together; nil where the compiler doesn't take it.
local function together(lines, parts, first, last)
  local program = join(parts, first, last)
  local stop = parts[last].line + select(2, parts[last].text:gsub('\n', ''))
  return loadstring(('local %s = ... '):format(statements.PARAMETERS) .. program)
    and { text = table.concat(lines, '\n', parts[first].line, stop), line = parts[first].line, program = program }
end

--- Cuts lines that came together into parts: `text`, the `line` where it begins, and for what is run as one program, since a variable is
-- local to it, its `program`: text to be compiled as a function of `PARAMETERS`.
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
