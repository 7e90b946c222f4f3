--- One run of mpirun: its command, the labels of its output, and what it says about processes that failed.
-- @module distributed.launch.job
local system = require 'distributed.launch.system'
local board, hosts = require 'distributed.launch.board', require 'distributed.launch.hosts'

local job = {}

local function cores()
  local file, n = io.open '/proc/cpuinfo', 0
  if file then
    for line in file:lines() do n = n + (line:find '^processor' and 1 or 0) end
    file:close()
  end
  return math.max(n, 1)
end

--- The machines and numbers of processes of a job.
-- @tparam table asked the options
-- @treturn ?table as of hosts.of, with `n`; nil if the options are wrong
-- @treturn ?string what is wrong
function job.place(asked)
  local place, problem = hosts.of(asked, cores())
  if not place then return nil, problem end
  place.n = asked.n or place.slots
  return place
end

--- The words of mpirun's command.
-- @tparam table asked the options
-- @tparam table place as of job.place
-- @string path of the board
-- @int attempt from 0
function job.command(asked, place, path, attempt)
  local n = place.n
  local perMachine = n <= place.slots and math.min(place.most, n) or math.ceil(n / place.machines)
  local share = math.max(math.floor(cores() / perMachine), 1)
  local words = { 'mpirun', '-n', tostring(n), '--tag-output', '--mca', 'btl_base_warn_component_unused', '0',
    '--mca', 'opal_signal', '' }      -- a crash ends a rank: Open MPI's handler of signals may wait for ever, or end it by another one
  local function add(...)
    for _, word in ipairs { ... } do words[#words + 1] = word end
  end
  if system.isRoot then add '--allow-run-as-root' end
  if perMachine > cores() or place.isHere then add '--oversubscribe' end
  if place.isHere then add('--mca', 'btl', 'self,vader') end      -- no network
  add(unpack(place.words))
  if asked.bind and perMachine <= cores() then
    add('--bind-to', 'core', '--map-by', ('slot:PE=%d'):format(share))
  else
    add('--bind-to', 'none')
  end
  for _, variable in ipairs {
    'MOONTORCH_BOARD=' .. path, 'MOONTORCH_LAUNCH_SEED=' .. ('%d'):format(asked.seed), 'MOONTORCH_RESTARTS=' .. attempt,
    'OMP_NUM_THREADS=' .. (os.getenv 'OMP_NUM_THREADS' or os.getenv 'SLURM_CPUS_PER_TASK' or share),
  } do
    add('-x', variable)
  end
  for word in (asked.mpirun or ''):gmatch '%S+' do add(word) end
  add(asked.th)
  add(unpack(asked.command))
  return words
end

-- mpirun's mark before each piece of a rank's output: also within a line, where two ranks write parts of lines at the same time.
local mark = '%[1,(%d+)%]<std%a+>:()'

-- The line before and after mpirun's own messages.
local ruler = ('-'):rep(74)

--- Returns a function that accepts pieces of mpirun's output, and writes each rank's lines with its label. Lines of mpirun itself go to a
-- function; nil ends the output.
-- @bool labels
-- @param out the file to write
-- @tparam function other
-- @tparam[opt] function reported gets the rank and the report of its entry that a line contains
function job.lines(labels, out, other, reported)
  local unread, partial, current = '', {}, ''      -- partial lines by rank; '' is mpirun
  local function finish(rank)
    local line = partial[rank]
    partial[rank] = nil
    if rank == '' then return other(line) end
    local report
    line, report = board.split(line)
    if report and reported then
      reported(tonumber(rank), report)
      partial[rank] = line ~= '' and line or nil
      return
    end
    out:write(labels and ('[%s] '):format(rank) or '', line, '\n')
    out:flush()
  end
  local function append(text) partial[current] = (partial[current] or '') .. text end
  -- Splits a line, with its end if it has one, at the marks.
  local function accept(line, ended)
    local at = 1
    while true do
      local from, _, rank, to = line:find(mark, at)
      if not from then break end
      if from > at then append(line:sub(at, from - 1)) end
      current, at = rank, to
    end
    local own = current ~= '' and line:find(ruler, at, true)      -- mpirun's own message begins within a rank's line
    if own then
      append(line:sub(at, own - 1))
      current, at = '', own
    end
    append(line:sub(at))
    if ended then
      finish(current)
      current = ''
    end
  end
  return function(piece)
    unread = unread .. (piece or '')
    local from = 1
    for line, to in unread:gmatch '([^\n]*)\n()' do
      accept(line, true)
      from = to
    end
    unread = unread:sub(from)
    if not piece then
      if unread ~= '' then accept(unread) end
      for rank in pairs(partial) do finish(rank) end
    end
  end
end

--- Collects what mpirun says: the rank that failed, its signal or status, and lines that say something else.
-- @treturn table `lines`
function job.messages()
  local said = { lines = {} }
  function said.add(line)
    said.lines[#said.lines + 1] = line
    local rank, signal = line:match 'process rank (%d+) .* exited on signal (%d+)'
    if not rank then rank = line:match 'due to process rank (%d+) ' end
    if rank and not said.rank then said.rank, said.signal = tonumber(rank), tonumber(signal) end
    local named = line:match 'Process name: %[%[%d+,%d+%],(%d+)%]'
    if named and not said.rank then said.rank = tonumber(named) end
    local code = line:match 'Exit code:%s+(%d+)'
    if code then said.code = tonumber(code) end
  end
  return said
end

local signalNames = { [4] = ' (SIGILL)', [6] = ' (SIGABRT)', [7] = ' (SIGBUS)', [8] = ' (SIGFPE)', [9] = ' (SIGKILL)', [11] = ' (SIGSEGV)',
  [15] = ' (SIGTERM)' }

--- Describes a failure: the rank that died and how, and what the other ranks did.
-- @tparam table said
-- @int status of mpirun
-- @tparam ?int signal that ended mpirun
-- @tparam table entries of the board, when mpirun had ended
-- @treturn {string,...} lines
function job.report(said, status, signal, entries)
  local lines, started = {}, false
  entries = entries or {}
  for _, entry in ipairs(entries) do started = started or entry.state ~= 'absent' end
  local function how(by, code)
    return by and ('signal %d%s'):format(by, signalNames[by] or '') or ('status %d'):format(code)
  end
  if said.rank then
    local entry = entries[said.rank + 1]
    local did = entry and ': ' .. board.about(entry) or ''
    lines[1] = ('rank %d ended by %s%s'):format(said.rank, how(said.signal, said.code or status), did)
  else
    for _, line in ipairs(said.lines) do lines[#lines + 1] = line end
    lines[#lines + 1] = 'mpirun ended by ' .. how(signal, status)
  end
  for i, other in ipairs((said.rank or started) and entries or {}) do
    if i - 1 ~= said.rank then lines[#lines + 1] = ('rank %d: %s'):format(i - 1, board.about(other)) end
  end
  for _, line in ipairs(board.holdups(entries)) do lines[#lines + 1] = line end
  return lines
end

return job
