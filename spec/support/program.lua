--- Runs the program th for specs: with pipes, or on a pseudo-terminal.
local assert, files = require 'luassert', require 'spec.support.files'
local program = {}

local preset = os.getenv 'MT_PRESET' or 'release'
program.path = 'build/' .. preset .. '/bin/th'

local PATIENCE = preset == 'release' and 10 or 60     -- seconds after which an expected text is missing

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local readAll = files.read

--- Writes a temporary file, which exists until the end of the spec.
-- @tparam string text
-- @treturn string its name, which ends in .lua
function program.script(text)
  local name = os.tmpname()
  os.remove(name)
  name = name .. '.lua'
  local file = assert(io.open(name, 'w'))
  file:write(text)
  file:close()
  return name
end

--- The output of th for a chunk of code, which must run without errors.
-- @string code
-- @treturn string
function program.evaluate(code)
  local output, status, errors = program.run({ '-e', code }, '')
  assert.equal('', errors)
  assert.equal(0, status)
  return output
end

--- Runs th and waits for it.
-- @tparam {string,...} words its arguments
-- @tparam[opt] string input its standard input, empty by default
-- @tparam[opt=''] string environment assignments in the shell's notation
-- @treturn string its standard output
-- @treturn int its exit status
-- @treturn string its standard error
function program.run(words, input, environment)
  local quoted, out, err, inp = {}, os.tmpname(), os.tmpname(), program.script(input or '')
  for i, word in ipairs(words) do quoted[i] = quote(word) end
  local command = ('%s %s %s'):format(environment or '', program.path, table.concat(quoted, ' '))
  local pipe = io.popen(('%s <%s >%s 2>%s; echo $?'):format(command, inp, out, err))
  local status = tonumber(pipe:read '*l')
  pipe:close()
  local output, errors = readAll(out), readAll(err)
  os.remove(out)
  os.remove(err)
  os.remove(inp)
  return output, status, errors
end

local Session = {}
Session.__index = Session

local terminals      -- whether the system has pseudo-terminals; nil: not tested yet

--- Starts th on a pseudo-terminal. If the system has none, as without /dev/pts, the spec is skipped.
-- @tparam[opt=''] string environment assignments in the shell's notation
-- @treturn Session with the methods send, expect, finish
function program.session(environment)
  if terminals == nil then terminals = os.execute 'script -qec true /dev/null >/dev/null 2>&1' == 0 end
  if not terminals then pending 'no pseudo-terminal can be made here' end
  local log, history, id = os.tmpname(), os.tmpname(), os.tmpname()
  local command = ('echo $$ >%s; TERM=xterm TREPL_HISTORY=%s %s exec %s'):format(id, history, environment or '', program.path)
  local pipe = io.popen(('script -qec %s /dev/null >%s'):format(quote(command), log), 'w')
  pipe:setvbuf 'no'
  return setmetatable({ pipe = pipe, log = log, history = history, id = id, seen = 0 }, Session)
end

--- The output of the terminal after the last expected text, without escape sequences.
function Session:rest() return (readAll(self.log):sub(self.seen + 1):gsub('\27%[[%d;?]*%a', ''):gsub('\r', '')) end

--- Types text.
function Session:send(text)
  self.pipe:write(text)
  return self
end

-- Ends the program, which may be in a loop: when Lua closes the pipe at its end, it waits for the program.
function Session:kill()
  os.execute(('kill -9 $(cat %s)'):format(self.id))
  self.pipe:close()
end

-- Removes the files.
function Session:forget()
  for _, name in ipairs { self.log, self.history, self.id } do os.remove(name) end
end

--- Waits until the terminal shows a text after the last expected one. If it doesn't, ends the program.
-- @tparam string text
-- @tparam[opt] number patience seconds to wait
function Session:expect(text, patience)
  for _ = 1, (patience or PATIENCE) * 50 do
    local shown = readAll(self.log)
    local _, stop = shown:find(text, self.seen + 1, true)
    if stop then
      self.seen = stop
      return self
    end
    os.execute 'sleep 0.02'
  end
  local shown = self:rest()
  self:kill()
  self:forget()
  error(('the terminal did not show %q, but %q'):format(text, shown), 2)
end

--- Quits the program.
-- @treturn string all output of the terminal, without escape sequences
-- @treturn string the history file
function Session:finish()
  self:send '\3'
  os.execute 'sleep 0.05'
  self:send 'exit\n'
  self:expect 'really want to exit'
  self:send 'y\n'
  self.pipe:close()
  self.seen = 0
  local shown, history = self:rest(), readAll(self.history)
  self:forget()
  return shown, history
end

return program
