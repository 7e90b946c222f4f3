--- The program gnuplot: its path, its terminals, and how to run it.
-- @module gnuplot
local C = require 'libmoontorch'
local check, paths, quote = require 'torch.check', require 'paths', require 'torch.shell_word'

local program = {}

local executable = 'gnuplot'
local known                                                          -- the program's terminals

local function find()
  if executable:find '/' then return paths.filep(executable) and executable or nil end
  return paths.findprogram(executable)
end

--- Sets the gnuplot program.
-- @function gnuplot.setgnuplotexe
-- @string path its path, or its name in a folder of PATH
-- @raise if there is no such file
function program.setgnuplotexe(path)
  path = check.name('gnuplot.setgnuplotexe', 'path', path)
  local before = executable
  executable = path
  if not find() then
    executable = before
    check.raise(("gnuplot.setgnuplotexe: path: there is no program '%s'"):format(path))
  end
  known = nil
end

local missing = "gnuplot: the program '%s' was not found (Debian: apt-get install gnuplot, macOS: brew install gnuplot); "
  .. 'gnuplot.setgnuplotexe(path) tells where it is'

--- Whether the program is installed.
-- @function gnuplot.isInstalled
-- @treturn boolean
-- @treturn ?string if not, instructions for the user
function program.isInstalled()
  if find() then return true end
  return false, missing:format(executable)
end

-- The program, for the shell.
local function command()
  check.that(program.isInstalled())
  return quote(find())
end

-- The output of a shell command, and whether it succeeded.
local function outcome(words)
  local pipe = io.popen(words .. '; echo $?')
  local text = pipe:read '*a'
  pipe:close()
  local said, status = text:match '^(.-)(%d+)\n$'
  return said or text, status == '0'
end

--- The program's terminals.
-- @function gnuplot.terminals
-- @treturn table true by name
function program.terminals()
  if known then return known end
  local found = {}
  local said = outcome(command() .. " -e 'set print \"-\"; print GPVAL_TERMINALS' </dev/null 2>&1")
  for name in said:gmatch '%S+' do found[name] = true end
  known = found
  return known
end

-- The sentence of gnuplot's error message: the one about a line, or the last line of its output.
local function complaint(said)
  local sentence = said:match 'line %d+:%s+([^\n]+)'
  for line in said:gmatch '[^\n]+' do
    if not sentence and line:find '%S' and not line:find '^%s*%^%s*$' then sentence = line end
  end
  return sentence or 'it failed'
end

--- Runs a script to its end. If gnuplot reports an error, writes it to the standard error, and runs the script again from the standard
-- input, where gnuplot continues after a command that it rejects.
-- @string script
-- @treturn string the standard output
-- @raise gnuplot's error if it can't write its file
function program.run(script)
  local executable_ = command()
  local name, output = C.temporaryName(), C.temporaryName()
  local file = io.open(name, 'w')
  file:write(script)
  file:close()
  local said, good = outcome(('%s %s </dev/null 2>&1 >%s'):format(executable_, name, output))
  local isLost = said:find('cannot open file', 1, true)
  if not good and not isLost then outcome(('%s <%s 2>/dev/null >%s'):format(executable_, name, output)) end
  local drawn = io.open(output)
  local text = drawn and drawn:read '*a' or ''
  if drawn then drawn:close() end
  os.remove(name)
  os.remove(output)
  if good then return text end
  local message = 'gnuplot: ' .. complaint(said)
  if isLost then check.raise(message) end
  io.stderr:write(message, '\n')
  return text
end

--- A pipe to the program, for a window. Data written after the program's end is discarded, without a signal to the writer.
-- @treturn file
function program.open()
  local pipe = io.popen(('%s -persist >/dev/null 2>&1; cat >/dev/null'):format(command()), 'w')
  pipe:setvbuf 'full'
  return pipe
end

return program
