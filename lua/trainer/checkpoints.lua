--- The folder of a trainer's checkpoints: the last ones by the number of steps, and the best one.
-- @module trainer.checkpoints
local check, paths = require 'torch.check', require 'paths'
local folders = require 'trainer.checkpoint_folder'

local Checkpoints = {}
Checkpoints.__index = Checkpoints

local pattern, best = '^step%-(%d+)%.checkpoint$', 'best.checkpoint'

--- @string where the start of messages
-- @tparam string|table given the folder, or a table of folder, every, keep and best
-- @treturn table
function Checkpoints.new(where, given)
  where = where .. ': checkpoints'
  if type(given) ~= 'table' then given = { folder = given } end
  check.options(where, given, { 'folder', 'every', 'keep', 'best' })
  check.flag(where, 'best', given.best)
  return setmetatable({
    folder = check.name(where, 'folder', given.folder),
    every = given.every and check.int(where, 'every', given.every, { min = 1 }),
    keep = check.int(where, 'keep', given.keep or 3, { min = 1 }),
    hasBest = given.best ~= false,
  }, Checkpoints)
end

local function nameOf(self, step) return ('%s/step-%010d.checkpoint'):format(self.folder, step) end

local function isComplete(name) return paths.filep(name) or folders.is(name) end

--- Returns the numbers of steps of the checkpoints, in increasing order.
-- @treturn {int,...}
-- @treturn {int,...} those of checkpoints that are incomplete: a process died while it wrote them
function Checkpoints:steps()
  local steps, broken = {}, {}
  for _, name in ipairs(paths.dirp(self.folder) and paths.dir(self.folder) or {}) do
    local step = tonumber(name:match(pattern))
    local list = step and (isComplete(nameOf(self, step)) and steps or broken) or nil
    if list then list[#list + 1] = step end
  end
  table.sort(steps)
  return steps, broken
end

--- Returns the file of a checkpoint.
-- @tparam ?string which 'last', 'best', or a file
-- @treturn ?string nil if there is no such checkpoint
function Checkpoints:find(which)
  if which == nil or which == 'last' then
    local steps = self:steps()
    return #steps > 0 and nameOf(self, steps[#steps]) or nil
  end
  if which ~= 'best' then return which end
  local name = ('%s/%s'):format(self.folder, best)
  return isComplete(name) and name or nil
end

local function makeFolder(self)
  if not paths.dirp(self.folder) and not paths.mkdir(self.folder) and not paths.dirp(self.folder) then
    check.raise(('Trainer: checkpoints: %s: the folder can not be created'):format(self.folder))
  end
end

local function remove(name)
  if not paths.dirp(name) then return os.remove(name) end
  os.remove(name .. '/manifest')      -- without it, what remains is no checkpoint
  paths.rmall(name, 'yes')
end

-- Removes all but the last checkpoints.
local function clean(self)
  local steps, broken = self:steps()
  for _, step in ipairs(broken) do remove(nameOf(self, step)) end
  for i = 1, #steps - self.keep do remove(nameOf(self, steps[i])) end
end

--- Writes a checkpoint, and removes older ones. All ranks call it.
-- @tparam table ranks of trainer.ranks, which write it
-- @int step
-- @tparam table state
-- @tparam ?optim.WeightAverage average
-- @bool isBest whether it is the best one so far
function Checkpoints:save(ranks, step, state, average, isBest)
  ranks:first(makeFolder, self)
  ranks:write(nameOf(self, step), state, average)
  if isBest and self.hasBest then ranks:write(('%s/%s'):format(self.folder, best), state, average) end
  ranks:first(clean, self)
end

return Checkpoints
