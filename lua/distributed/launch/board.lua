--- The file in which each rank writes its present call (packages/distributed/board.h), as the launcher reads it.
-- @module distributed.launch.board
local ffi = require 'ffi'

ffi.cdef [[
typedef struct {
  int32_t pid, state;
  uint64_t calls;
  double since;
  char call[120], line[128], waits[112], unused[128];
} mt_launch_entry;
]]

local size = ffi.sizeof 'mt_launch_entry'
local absent, computing, inCall, finished = 0, 1, 2, 3

local board = {}

--- The folder of the files: memory, where the system has it.
function board.folder()
  local memory = io.open '/dev/shm/.'
  if memory then memory:close() end
  return memory and '/dev/shm' or os.getenv 'TMPDIR' or '/tmp'
end

--- The file of a launcher.
-- @int pid
function board.path(pid) return ('%s/moontorch-launch-%d'):format(board.folder(), pid) end

--- Creates the file.
-- @string path
-- @int n ranks
-- @raise if that fails
function board.create(path, n)
  local file = assert(io.open(path, 'wb'))
  file:write(('\0'):rep(n * size))
  file:close()
end

--- Returns the entries of all ranks: `state` ('absent', 'computing', 'call', 'finished'), `pid`, `since`, `call`, `line`, `waits`.
-- @treturn ?table nil without a file
function board.read(path)
  local file = io.open(path, 'rb')
  local bytes = file and file:read '*a'
  if not bytes then return nil end
  file:close()
  local entries, names = {}, { [absent] = 'absent', [computing] = 'computing', [inCall] = 'call', [finished] = 'finished' }
  for i = 1, #bytes / size do
    local entry = ffi.cast('const mt_launch_entry *', bytes) + (i - 1)
    local function text(field, n) return ffi.string(entry[field], n):match '^%Z*' end
    entries[i] = { pid = entry.pid, state = names[entry.state] or 'absent', since = entry.since, calls = tonumber(entry.calls),
      call = text('call', 120), line = text('line', 128), waits = text('waits', 112) }
  end
  return entries
end

--- Says what a rank does, in words.
-- @tparam table entry
-- @tparam[opt] number now of the board's clock: adds since when
function board.about(entry, now)
  local call = entry.calls > 0 and ('%s at %s'):format(entry.call, entry.line)
  local text
  if entry.state == 'absent' then
    text = 'has not called init'
  elseif entry.state == 'finished' then
    text = 'has finished'
  elseif entry.state == 'call' then
    text = 'in ' .. call .. (entry.waits ~= '' and ', waits for rank ' .. entry.waits or '')
  else
    text = call and 'computes, after ' .. call or 'computes'
  end
  if now and entry.state ~= 'absent' then text = ('%s, for %.1f s'):format(text, now - entry.since) end
  return text
end

return board
