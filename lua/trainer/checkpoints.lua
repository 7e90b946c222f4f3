--- The folder of a trainer's checkpoints: the last ones by the number of steps, and the best one.
-- @module trainer.checkpoints
local check, paths = require 'torch.check', require 'paths'
local file = require 'trainer.checkpoint_file'

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

--- Returns the numbers of steps of the checkpoints, in increasing order.
-- @treturn {int,...}
function Checkpoints:steps()
  local steps = {}
  for _, name in ipairs(paths.dirp(self.folder) and paths.dir(self.folder) or {}) do
    local digits = name:match(pattern)
    if digits then steps[#steps + 1] = tonumber(digits) end
  end
  table.sort(steps)
  return steps
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
  return paths.filep(name) and name or nil
end

--- Writes a checkpoint, and removes older ones.
-- @int step
-- @tparam table state
-- @bool isBest whether it is the best one so far
function Checkpoints:save(step, state, isBest)
  if not paths.dirp(self.folder) and not paths.mkdir(self.folder) and not paths.dirp(self.folder) then
    check.raise(('Trainer: checkpoints: %s: the folder can not be created'):format(self.folder))
  end
  file.write('Trainer: checkpoints', nameOf(self, step), state)
  if isBest and self.hasBest then file.write('Trainer: checkpoints', ('%s/%s'):format(self.folder, best), state) end
  local steps = self:steps()
  for i = 1, #steps - self.keep do os.remove(nameOf(self, steps[i])) end
end

return Checkpoints
