--- The program th-launch: runs mpirun, labels output, handles signals, reports failures, restarts.
-- @module distributed.launch.main
local require = require('torch.modules').require
local system, board = require 'distributed.launch.system', require 'distributed.launch.board'
local job, options = require 'distributed.launch.job', require 'distributed.launch.options'
local watch = require 'distributed.launch.watch'

local interrupted, wrong = 130, 2      -- exit statuses
local lookEvery = 0.5      -- seconds

local function say(...) io.stderr:write('th-launch: ', string.format(...), '\n') end

-- Writes what each rank does.
local function showRanks(path)
  local entries, now = board.read(path), system.now()
  for i, entry in ipairs(entries or {}) do
    local machine = entry.machine ~= '' and ' of ' .. entry.machine or ''
    say('rank %d (process %d%s): %s', i - 1, entry.pid, machine, board.about(entry, now))
  end
  for _, line in ipairs(board.holdups(entries or {})) do say('%s', line) end
  return entries ~= nil
end

-- Shows the ranks of one launcher, or of all.
local function ranksOf(pid)
  if pid ~= true then
    if showRanks(board.path(tonumber(pid) or 0)) then return 0 end
    say('--ranks: no th-launch with process %s', pid)
    return wrong
  end
  local pipe = io.popen(('ls -d %s/moontorch-launch-* 2>/dev/null'):format(board.folder()))
  for path in pipe:lines() do
    local launcher = path:match '%d+$'
    if system.state(tonumber(launcher)) == 'ended' then
      os.remove(path)      -- something has killed it
    else
      say('process %s', launcher)
      showRanks(path)
    end
  end
  pipe:close()
  return 0
end

-- Runs the job once. Returns its exit status, and whether a signal to the launcher ended it.
local function run(asked, place, path, signals, attempt)
  board.create(path, place.n)
  local child, out, err = system.spawn(job.command(asked, place, path, attempt))
  if not child then
    say 'mpirun was not found (Debian and Ubuntu: apt-get install openmpi-bin)'
    return 127, true
  end
  local said, ranks, stopped = job.messages(), watch.new(path), false
  local accept = {
    [out] = job.lines(asked.labels, io.stdout, function(line) io.stdout:write(line, '\n') end),
    [err] = job.lines(asked.labels, io.stderr, said.add, function(rank, report) board.store(path, rank, report) end),
  }
  while next(accept) do
    local files = { signals }
    for file in pairs(accept) do files[#files + 1] = file end
    local ready = system.poll(files, lookEvery)
    ranks:look()
    if ranks:isOverdue() then ranks:kill(child) end
    for _, file in ipairs(ready) do
      if file == signals then
        local signal = system.readSignal(signals)
        if signal == system.signals.USR1 then
          showRanks(path)
        else
          system.kill(stopped and -child or child, stopped and system.signals.KILL or signal)
          stopped = true
          ranks:expectEnd()
        end
      else
        local piece = system.read(file)
        accept[file](piece)
        if not piece then accept[file] = nil end
      end
    end
  end
  local status, signal = system.wait(child)
  ranks:finish()
  if #said.lines == 0 then said.rank = ranks.lost end
  if stopped then return interrupted, true end
  if status ~= 0 then
    for _, line in ipairs(job.report(said, status, signal, board.read(path))) do say('%s', line) end
    if said.signal then status = 128 + said.signal elseif said.code then status = said.code end
  end
  return status, false
end

local function main(words)
  local asked, problem = options.parse(words)
  if asked and asked.help then
    io.stdout:write(options.usage)
    return 0
  end
  if asked and asked.ranks then return ranksOf(asked.ranks) end
  local place
  if asked then place, problem = job.place(asked) end
  if not place then
    say('%s', problem)
    return wrong
  end
  local clock = math.floor(system.now() * 1e6)
  asked.seed = asked.seed or clock % 2 ^ 31
  asked.th = asked.th or require('torch.modules').realpath '/proc/self/exe'
  local path, s = board.path(system.pid), system.signals
  local signals = system.signalFile { s.INT, s.TERM, s.HUP, s.USR1 }
  local status, stopped
  for attempt = 0, asked.restart do
    if attempt > 0 then
      place.n = asked.restartRanks or place.n
      say('starts again with %d processes, the restart %d of at most %d', place.n, attempt, asked.restart)
    end
    status, stopped = run(asked, place, path, signals, attempt)
    if status == 0 or stopped then break end
  end
  os.remove(path)
  return status
end

os.exit(main { ... })
