--- The file in which each rank writes its present call (packages/distributed/board.h), as the launcher reads it.
-- @module distributed.launch.board
local ffi = require 'ffi'
local system = require 'distributed.launch.system'

ffi.cdef [[
typedef struct {
  int32_t pid, state;
  uint64_t calls;
  double since;
  char call[120], line[128], waits[112], pending[256], problem[320], machine[64];
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

local order = { 'call', 'line', 'waits', 'pending', 'problem', 'machine' }
local texts = { call = 120, line = 128, waits = 112, pending = 256, problem = 320, machine = 64 }

--- Returns the entries of all ranks: `state` ('absent', 'computing', 'call', 'finished'), `pid`, `since`, `calls`, `call`, `line`, `waits`,
-- `pending`, `problem`, `machine`.
-- @treturn ?table nil without a file
function board.read(path)
  local file = io.open(path, 'rb')
  local bytes = file and file:read '*a'
  if not bytes then return nil end
  file:close()
  local entries, names = {}, { [absent] = 'absent', [computing] = 'computing', [inCall] = 'call', [finished] = 'finished' }
  for i = 1, #bytes / size do
    local entry = ffi.cast('const mt_launch_entry *', bytes) + (i - 1)
    entries[i] = { pid = entry.pid, state = names[entry.state] or 'absent', since = entry.since, calls = tonumber(entry.calls) }
    for field, n in pairs(texts) do entries[i][field] = ffi.string(entry[field], n):match '^%Z*' end
  end
  return entries
end

-- What a rank on another machine writes to its standard error (packages/distributed/reporter.h).
local report = '\1moontorch\1'

--- Splits a line of a rank's errors that ends with a report of its entry.
-- @string line
-- @treturn string what comes before, the program's
-- @treturn ?string the report
function board.split(line)
  local from, to = line:find(report, 1, true)
  if not from then return line end
  return line:sub(1, from - 1), line:sub(to + 1)
end

--- Writes the entry of a rank on another machine.
-- @string path
-- @int rank
-- @string text of the report
function board.store(path, rank, text)
  local words = {}
  for word in (text .. '\1'):gmatch '([^\1]*)\1' do words[#words + 1] = word end
  local state, pid, calls, age = tonumber(words[1]), tonumber(words[2]), tonumber(words[3]), tonumber(words[4])
  local file = state and pid and calls and age and io.open(path, 'r+b')
  if not file then return end
  local entry = ffi.new('mt_launch_entry', { pid = pid, state = state, calls = calls, since = system.now() - age })
  for i, field in ipairs(order) do ffi.copy(entry[field], (words[4 + i] or ''):sub(1, texts[field] - 1)) end
  file:seek('set', rank * size)
  file:write(ffi.string(entry, size))
  file:close()
end

-- Whether a process of this machine is stopped.
local function isStopped(entry) return entry.pid ~= 0 and entry.machine == '' and system.state(entry.pid) == 'stopped' end

--- Says what a rank does, in words.
-- @tparam table entry
-- @tparam[opt] number now of the board's clock: adds since when, and whether the process is stopped
function board.about(entry, now)
  local call = entry.calls > 0 and ('%s at %s'):format(entry.call, entry.line)
  local text
  if entry.state == 'absent' then
    text = 'has not called init'
  elseif entry.state == 'finished' then
    text = 'has finished'
  elseif entry.state == 'call' then
    text = 'in ' .. call .. (entry.waits ~= '' and ', waits for rank ' .. entry.waits or '')
  elseif entry.problem ~= '' then
    text = ('after %s failed: %s'):format(call, entry.problem)
  else
    text = call and 'computes, after ' .. call or 'computes'
  end
  if entry.pending ~= '' then text = ('%s; meanwhile %s'):format(text, entry.pending) end
  if now and entry.state ~= 'absent' then
    text = ('%s, for %.1f s%s'):format(text, now - entry.since, isStopped(entry) and '; the process is stopped' or '')
  end
  return text
end

-- The ranks that a rank waits for, by number.
local function waitedFor(entry)
  local text, ranks = entry.state == 'call' and entry.waits or '', {}
  if text == '' then text = entry.pending:match ', waits for rank ([%d, ]+)$' or '' end
  for rank in text:gmatch '%d+' do ranks[#ranks + 1] = tonumber(rank) end
  return ranks
end

-- 'rank 1', 'ranks 1 and 2', 'ranks 1, 2 and 3'
local function listed(ranks)
  if #ranks == 1 then return 'rank ' .. ranks[1] end
  return ('ranks %s and %d'):format(table.concat(ranks, ', ', 1, #ranks - 1), ranks[#ranks])
end

--- Says which ranks hold others up: those that others wait for, and that wait for none; or which wait for each other.
-- @tparam {table,...} entries
-- @treturn {string,...} lines
function board.holdups(entries)
  local waits, held, lines = {}, {}, {}
  for i, entry in ipairs(entries) do waits[i - 1] = waitedFor(entry) end
  local left = {}      -- the ranks that wait, but not in the end for one that does not
  for rank = 0, #entries - 1 do
    local seen, queue, ends = { [rank] = true }, { rank }, {}
    for _, each in ipairs(queue) do      -- grows
      for _, other in ipairs(waits[each] or {}) do
        if not seen[other] then
          seen[other] = true
          queue[#queue + 1] = other
          if #(waits[other] or {}) == 0 then ends[#ends + 1] = other end
        end
      end
    end
    if #queue > 1 and #ends == 0 then left[#left + 1] = rank end
    for _, holder in ipairs(ends) do
      held[holder] = held[holder] or {}
      table.insert(held[holder], rank)
    end
  end
  for rank = 0, #entries - 1 do
    if held[rank] then lines[#lines + 1] = ('rank %d holds up %s'):format(rank, listed(held[rank])) end
  end
  if #left > 1 then lines[#lines + 1] = listed(left) .. ' wait for each other' end
  return lines
end

return board
