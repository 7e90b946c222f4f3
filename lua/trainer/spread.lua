--- Ranks that train a network whose layers or stages are spread over them: a grid of copies of the network, each on ranks that follow one
-- another. The ranks of a copy have the same batches.
-- @module trainer.spread
local check = require 'torch.check'
local ranks, Sharded, SpreadState = require 'trainer.ranks', require 'trainer.sharded', require 'trainer.spread_state'
local Together = ranks.Together

local where = 'Trainer: distributed'

local Spread = setmetatable({}, Together)
Spread.__index = Spread

Spread.optimizerOf, Spread.agreeOnScale = Sharded.optimizerOf, Sharded.agreeOnScale

-- Options of nn.DistributedDataParallel, for several copies.
local ofCopies = { 'bucketBytes', 'gradientCompression', 'findUnusedParameters' }

--- Checks options, and creates the groups of the grid. All ranks call it.
-- @tparam table class whose methods spread the network
-- @tparam table self `dist`, `options`
-- @tparam table read options of the trainer that are checked
-- @string name of the option with the number of ranks of a copy
-- @tparam {string,...} names of further options
-- @treturn table
function Spread.new(class, self, read, name, names)
  local options, dist, copies = self.options, self.dist, {}
  for _, known in ipairs(ofCopies) do copies[known], options[known] = options[known], nil end
  self.parts = check.int(where, name, options[name], { min = 1 })
  for _, known in ipairs(names) do self[known], options[known] = options[known], nil end
  options[name] = nil
  local other = next(options)
  if other then check.raise(('%s: %s: given with %s, expected none'):format(where, other, name)) end
  check.that(read.isClass,
    ('%s: %s: expected a class as the optimizer, such as optim.Adam, with its options in config'):format(where, name))
  Sharded.needElementwise(read)
  local world, own = dist.worldSize(), dist.rank()
  if world % self.parts ~= 0 then
    check.raise(('%s: %s: %d, expected a divisor of the number of ranks, %d'):format(where, name, self.parts, world))
  end
  self.count, self.place = world / self.parts, math.floor(own / self.parts)
  self.copies, self.seat, self.size, self.isFirst, self.source, self.of = copies, own, world, own == 0, 0, {}
  for copy = 0, self.count - 1 do
    local list = {}
    for i = 1, self.parts do list[i] = copy * self.parts + i - 1 end
    local group = dist.newGroup(list)
    if copy == self.place then self.row = group end
  end
  for part = 0, self.parts - 1 do
    local list = {}
    for i = 1, self.count do list[i] = (i - 1) * self.parts + part end
    local group = dist.newGroup(list)
    if part == own % self.parts then copies.group = group end
  end
  return setmetatable(self, class)
end

-- Returns the values of one rank of each copy, in order: that which measures.
function Spread:parted(value)
  local list = {}
  for i, each in ipairs(self:all(value)) do
    if (i - 1) % self.parts == self.speaker then list[#list + 1] = each end
  end
  return list
end

-- Remembers the network, and how its tensors are spread. Checkpoints are those of the whole network.
function Spread:setNet(net, ...)
  local done, state = pcall(SpreadState.new, where, ...)
  local problem = self:agreed(not done and tostring(state) or nil)
  if problem then error(problem, 0) end
  self.net, self.spread = net, state
  self.modelState = {
    get = function() return state:get() end, check = function(_, _, values) state:check(values) end,
    set = function(_, _, values) state:set(values) end,
  }
end

function Spread:shareBuffers()
  if self.count > 1 then require('distributed.replica').copyBuffers(self.spread.net, self.copies.group) end
end

function Spread:clip(_, maxNorm) return self.net:clipGradNorm(maxNorm) end

function Spread:write(name, state, average)
  self:shareBuffers()      -- until the next pass, each copy has its own
  local spread = self.spread
  self:writeParts(name, state, spread:shardedTensors(), spread:shardedOptimizer(self.optimizer),
    average and spread:shardedOptimizer(SpreadState.optimizerOf(average)))
end

function Spread:read(problems, name, average)
  local spread = self.spread
  return self:readParts(problems, name, {
    model = function(values) return spread:part(values) end,
    optimizer = function(values) return spread:partOfOptimizer(self.optimizer, values) end,
    average = average and function(values) return spread:partOfOptimizer(SpreadState.optimizerOf(average), values) end,
  })
end

return Spread
