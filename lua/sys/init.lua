--- Clock, shell commands and terminal colours.
-- @module sys
local ffi = require 'ffi'
local paths = require 'paths'
local clock = require 'torch.clock'

ffi.cdef 'int nanosleep(const void *wanted, void *left);'

local sys = { COLORS = require 'sys.colors', dirname = paths.dirname, concat = paths.concat }
rawset(_G, 'sys', sys)

--- Wall-clock seconds since the epoch, with microseconds.
sys.clock = clock.wall

--- Sleeps a number of seconds; fractions allowed.
function sys.sleep(seconds)
  local time = ffi.new 'struct { long seconds, nanoseconds; }'
  local whole = math.floor(seconds)
  time.seconds, time.nanoseconds = whole, (seconds - whole) * 1e9
  while ffi.C.nanosleep(time, time) ~= 0 and ffi.errno() == 4 do end      -- 4: interrupted, the rest is in time
end

--- Sleeps a number of microseconds (1 unless a number is given).
function sys.usleep(microseconds) sys.sleep(math.floor(tonumber(microseconds) or 1) * 1e-6) end

local started

--- Starts the stopwatch that `toc` reads.
function sys.tic() started = sys.clock() end

--- Seconds since `tic`.
-- @bool[opt] verbose also print them
function sys.toc(verbose)
  local seconds = sys.clock() - started
  if verbose then print(seconds) end
  return seconds
end

local function trim(text) return (text:gsub('^%s+', ''):gsub('%s+$', '')) end

--- Runs a shell command and returns what it wrote to stdout and stderr, trimmed.
-- @string command
function sys.execute(command)
  local pipe = assert(io.popen('( ' .. command .. ' ) 2>&1'))
  local output = pipe:read('*a')
  pipe:close()
  return trim(output)
end

--- The same through a temporary file.
-- @string command
-- @string[opt='*a'] readwhat as for file:read
function sys.fexecute(command, readwhat)
  local name = os.tmpname()
  os.execute('( ' .. command .. ' ) > ' .. name .. ' 2>&1')
  local file = assert(io.open(name))
  local output = file:read(readwhat or '*a')
  file:close()
  os.remove(name)
  return type(output) == 'string' and trim(output) or output
end

--- The system: 'linux', 'macos', 'windows' or '?'.
function sys.uname()
  local names = { Linux = 'linux', Darwin = 'macos', Windows = 'windows' }
  return names[(paths.uname())] or '?'
end

--- The system when this was loaded.
sys.OS = sys.uname()

for name, options in pairs { ls = '', ll = '-l', la = '-a', lla = '-la' } do
  --- What is in a folder, as the shell's ls tells it: `ls`, `ll` with details, `la` with hidden files, `lla` with both.
  -- @string[opt='.'] folder
  -- @treturn string
  sys[name] = function(folder)
    local quoted = folder and "'" .. folder:gsub("'", "'\\''") .. "'" or ''
    return sys.execute('ls ' .. options .. ' ' .. quoted)
  end
end

-- The parent of the interpreter's bin folder, when the command line tells it.
local function guessPrefix()
  local arguments = rawget(_G, 'arg') or {}
  for i = 0, -20, -1 do
    local program = arguments[i]
    local name = program and paths.basename(program)
    if name == 'lua' or name == 'luajit' or name == 'th' then
      return paths.dirname(paths.dirname(program:find('/', 1, true) and program or paths.findprogram(program) or program))
    end
  end
  return ''
end

--- A guess of the installation's folder; '' when there is none.
sys.prefix = guessPrefix()

--- Folder and name of the file that calls this.
function sys.fpath()
  local source = debug.getinfo(2, 'S').source
  local file = paths.concat(source:sub(1, 1) == '@' and source:sub(2) or source)
  return paths.dirname(file), paths.basename(file)
end

--- Splits a string at a Lua pattern. Empty first and last pieces are dropped, empty inner ones are kept.
function sys.split(text, pattern)
  local pieces, start = {}, 1
  while true do
    local first, last = text:find(pattern, start)
    if not first or last < first then break end
    if first > 1 then pieces[#pieces + 1] = text:sub(start, first - 1) end
    start = last + 1
  end
  if start <= #text then pieces[#pieces + 1] = text:sub(start) end
  return pieces
end

--- Whether x is not a number.
function sys.isNaN(x) return x ~= x end

return sys
