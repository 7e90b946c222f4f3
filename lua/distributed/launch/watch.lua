--- Looks after the ranks of this machine while mpirun runs, which at times goes on although ranks have ended: after a failure, and after
-- signals, it has some seconds to end. No rank outlives the launcher's run.
-- @module distributed.launch.watch
local system, board = require 'distributed.launch.system', require 'distributed.launch.board'

local patience = 10      -- seconds for mpirun to end all ranks

local Watch = {}
Watch.__index = Watch

-- The entries of ranks of this machine, with rank as key.
local function here(path)
  local entries = {}
  for i, entry in ipairs(board.read(path) or {}) do
    if entry.pid ~= 0 and entry.machine == '' then entries[i - 1] = entry end
  end
  return entries
end

--- Looks whether a rank has ended without its leave, or all have ended, which it remembers.
function Watch:look()
  local running, any = 0, false
  for rank, entry in pairs(here(self._path)) do
    any = true
    if system.state(entry.pid) ~= 'ended' then
      running = running + 1
    elseif entry.state ~= 'finished' and (not self.lost or entry.since < self._since) then
      self.lost, self._since = rank, entry.since
    end
  end
  if self.lost or (any and running == 0) then self:expectEnd() end
end

--- From now on mpirun should end soon.
function Watch:expectEnd() self._until = self._until or system.now() + patience end

--- Whether mpirun should have ended.
function Watch:isOverdue() return self._until ~= nil and system.now() > self._until end

-- What became of a rank's process: 'running', 'ending' after a signal (its memory is gone, and its environment reads as empty) or 'ended',
-- also if another process has got its number.
local function stage(self, entry)
  if system.state(entry.pid) == 'ended' then return 'ended' end
  local environment = system.environment(entry.pid)
  if environment == '' then return 'ending' end
  return environment:find(('\0MOONTORCH_BOARD=%s\0'):format(self._path), 1, true) and 'running' or 'ended'
end

--- Kills mpirun, of the process group `group`, and all ranks of this machine that still run.
-- @int[opt] group
function Watch:kill(group)
  if group then system.kill(-group, system.signals.KILL) end
  for _, entry in pairs(here(self._path)) do
    if stage(self, entry) == 'running' then system.kill(entry.pid, system.signals.KILL) end
  end
end

--- Kills all ranks of this machine that still run, and waits until they have ended: a process with much memory takes a while.
function Watch:finish()
  self:kill()
  local limit = system.now() + patience
  for _, entry in pairs(here(self._path)) do
    while stage(self, entry) ~= 'ended' and system.now() < limit do system.poll({}, 0.005) end
  end
end

local watch = {}

--- Returns a watch of the ranks on a board.
-- @string path of the board
-- @treturn table `lost`: the first rank that ended without leave, if any
function watch.new(path) return setmetatable({ _path = path }, Watch) end

return watch
