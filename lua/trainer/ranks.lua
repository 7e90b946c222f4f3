--- The processes that train together: one, or the ranks of torch.distributed, whose trainers make the same steps and decisions.
-- @module trainer.ranks
local torch, check = require 'torch', require 'torch.check'
local nested, share = require 'nn.nested', require 'data.share'
local file, folder = require 'trainer.checkpoint_file', require 'trainer.checkpoint_folder'
local kindOf = require('torch.check.message').kind

local where = 'Trainer: distributed'

-- One process. Of `size` ranks this is number `seat`; they have `count` parts of each batch, this one that at `place`, and networks on
-- `parts` ranks each. `measures` says whether it has the outputs for the meters.
local Alone = { size = 1, seat = 0, count = 1, place = 0, parts = 1, isFirst = true, measures = true }
Alone.__index = Alone

-- Returns the network for the passes, and that for the program.
function Alone.wrap(_, model) return model, model end

function Alone.begin() end
function Alone.first(_, f, ...) return f(...) end
function Alone.all(_, value) return { value } end
function Alone.parted(_, value) return { value } end
function Alone.agreed(_, reason) return reason end
function Alone.rows(_, value) return value end
function Alone.shareBuffers() end
function Alone.agreeOnScale() end
function Alone.isAnywhere(_, isHere) return isHere end

-- Returns a network that computes on this process alone, to look for a fault.
function Alone.whole(_, model) return model end

-- Returns an optimiser of a class.
function Alone.optimizerOf(_, model, class, config) return class((model:parameters()), config) end

function Alone.clip(_, protocol, maxNorm) return protocol:clip(maxNorm) end

function Alone.evaluate(_, protocol, input, target, size)
  if size > 0 then return protocol:evaluate(input, target) end
end

Alone.modelState = require 'trainer.model_state'

-- Returns and sets what the optimiser of this process needs to continue.
function Alone.state(_, protocol) return protocol:state() end
function Alone.setState(_, protocol, state) protocol:setState(state) end

-- Writes and reads checkpoints.
function Alone.write(_, name, state) file.write('Trainer: checkpoints', name, state) end

function Alone:read(problems, name)
  if folder.is(name) then return folder.read(self.of, problems, name) end
  return file.read(problems, name)
end

function Alone:add(protocol, input, target, _, factor)
  local loss, output = protocol:add(input, target, factor)
  return loss, loss, output
end

-- Several ones, which have the same network.
local Together = setmetatable({}, Alone)
Together.__index = Together

--- Returns the network that averages the gradients, and the one inside.
-- @tparam nn.Module model
function Together:wrap(model)
  self.model = require('nn').DistributedDataParallel(model, self.options)
  return self.model, model
end

--- Calls a function on the first rank.
-- @tparam function f
-- @param ... its arguments
-- @return its result, on all ranks
-- @raise its error, on all ranks
function Together:first(f, ...)
  local result = {}
  if self.isFirst then
    local done, value = pcall(f, ...)
    if done then result.value = value else result.problem = tostring(value) end
  end
  local sent = self.dist.broadcastObject(self.isFirst and { value = result.value, problem = result.problem } or nil, self.source, self.of)
  if sent.problem then error(sent.problem, 0) end
  if self.isFirst then return result.value end
  return sent.value
end

--- Returns the values of all ranks, in order.
function Together:all(value) return self.dist.allGatherObject(value, self.of) end

--- Returns the values of the ranks that have measured different samples.
function Together:parted(value) return self:all(value) end

-- Finds this process's place among the ranks of a group.
function Together:join(group)
  self.seat = self.dist.rank(group)
  check.that(self.seat, where .. ': group: without this process, expected one with it')
  self.place, self.size = self.seat, self.dist.worldSize(group)
  self.of, self.isFirst, self.count, self.source = { group = group }, self.seat == 0, self.size, group and group.ranks[1] or 0
  return self
end

-- Whether something is so on a rank.
function Together:isAnywhere(isHere) return self.dist.allReduce(torch.ByteTensor { isHere and 1 or 0 }, 'max', self.of)[1] == 1 end

--- Returns the first rank's reason to stop, or its problem, that is not nil.
-- @tparam ?string reason
-- @treturn ?string the same on all ranks
function Together:agreed(reason)
  if not self:isAnywhere(reason ~= nil) then return nil end
  for _, other in ipairs(self:all(reason or false)) do
    if other then return other end
  end
end

--- Returns this rank's rows of the tensors of a batch.
-- @param value tensors, in tables too
-- @int size number of rows
function Together:rows(value, size)
  local first, count = share(size, self.place, self.count)
  if count == 0 then return nil end
  return nested.map(value, function(x)
    if x:dim() == 0 or x:size(1) ~= size then
      local rows = x:dim() > 0 and x:size(1) or 'no'
      check.raise(('%s: a batch has an entry with %s rows, expected %d as its input'):format(where, rows, size))
    end
    return x:narrow(1, first + 1, count)
  end)
end

--- Adds the gradients of this rank's part of a batch; they become those of the batch.
-- @tparam table protocol
-- @param input nil if the rank has no part
-- @param target
-- @int size of the part
-- @number factor of the loss
-- @treturn number the loss of the batch
-- @treturn number the loss of the part
-- @return the model's output for the part
function Together:add(protocol, input, target, size, factor)
  local loss, output = 0, nil
  self.model:setWeight(size)
  if size == 0 then self.model:idle() else loss, output = protocol:add(input, target, factor) end
  return self:mean(loss, size), loss, output
end

function Together:write(name, state) self:first(Alone.write, self, name, state) end

function Together:read(problems, name) return self:readParts(problems, name, {}) end

-- Writes a checkpoint of all ranks: the parts of the model, the optimiser and the averages, and the rest of the state.
function Together:writeParts(name, state, model, optimizer, average)
  local rest = {}
  for field, value in pairs(state) do
    if field ~= 'model' and field ~= 'optimizer' and field ~= 'average' then rest[field] = value end
  end
  folder.write(self, name, { tensors = model, classes = state.model.classes }, optimizer, average, rest)
end

-- Reads a checkpoint, of all ranks or of the first one. `parts` are functions by field, as folder.read has them.
function Together:readParts(problems, name, parts)
  if self:first(folder.is, name) then return folder.read(self.of, problems, name, parts) end
  local state = self:first(file.read, problems, name)
  local done, problem = pcall(function()
    if state.average and parts.average then
      state.average = folder.averageFormat(parts.average(folder.optimizerFormat(state.average)))
    end
    for _, field in ipairs { 'model', 'optimizer' } do
      if parts[field] then state[field] = parts[field](state[field]) end
    end
  end)
  problem = self:agreed(not done and tostring(problem) or nil)
  if problem then error(problem, 0) end
  return state
end

-- Returns the mean of a loss over the samples of all ranks.
function Together:mean(loss, size)
  local sums = self.dist.allReduce(torch.DoubleTensor { size > 0 and loss * size or 0, size }, 'sum', self.of)
  return sums[1] / sums[2]
end

--- Copies the buffers of the first rank's model to the others.
function Together:shareBuffers() require('distributed.replica').copyBuffers(self.model:get(1), self.options.group) end

local ranks = { Together = Together, Alone = Alone }

local names = {
  'group', 'bucketBytes', 'gradientCompression', 'findUnusedParameters', 'strategy', 'tensorParallel', 'plan', 'pipeline', 'microBatches',
  'schedule',
}

-- Takes the strategy from the options; returns it.
local function takeStrategy(options, read)
  local strategy = options.strategy
  options.strategy = nil
  if strategy == nil then return nil end
  check.choice(where, 'strategy', strategy, { 'shardOptimizer', 'shardGradOp', 'fullShard' })
  check.that(read.isClass, where .. ': strategy: expected a class as the optimizer, such as optim.Adam, with its options in config')
  check.that(not torch.isTypeOf(read.model, 'nn.FullyShardedDataParallel'),
    where .. ': strategy: expected none: model is an nn.FullyShardedDataParallel, which has one')
  return strategy
end

-- Networks that the trainer makes.
local others = {
  ['nn.DistributedDataParallel'] = 'the network inside: the trainer wraps it in nn.DistributedDataParallel',
  ['nn.TensorParallel'] = 'a whole network, whose layers distributed = { tensorParallel = n } spreads',
  ['nn.PipelineParallel'] = 'a whole network, which distributed = { pipeline = n } divides into stages',
}

-- What spreads one network over several ranks: an option with their number, by the options that it has.
local spreads = { plan = 'tensorParallel', microBatches = 'pipeline', schedule = 'pipeline' }

-- Returns the class of ranks that the options ask for, if they spread one network over several.
local function spreadOf(options, shards)
  for name, owner in pairs(spreads) do
    if options[name] ~= nil and options[owner] == nil then
      check.raise(('%s: %s: given without %s, expected none'):format(where, name, owner))
    end
  end
  if options.tensorParallel == nil and options.pipeline == nil then return nil end
  check.that(not shards, where .. ': model: an nn.FullyShardedDataParallel, expected a whole network: its layers or stages are spread')
  return require(options.tensorParallel ~= nil and 'trainer.tensor_parallel' or 'trainer.pipeline_parallel')
end

-- Checks the network; returns whether its parameters are shared out.
local function isSharded(model)
  if not torch.isTypeOf(model, 'nn.Module') then check.raise(('%s: model: %s, expected a module'):format(where, kindOf(model))) end
  local found
  model:apply(function(module)
    for name in pairs(others) do found = found or torch.isTypeOf(module, name) and name or nil end
  end)
  if found then check.raise(('%s: model: an %s, expected %s'):format(where, found, others[found])) end
  return torch.isTypeOf(model, 'nn.FullyShardedDataParallel')
end

--- Checks the option `distributed`.
-- @tparam ?bool|table given true, or options of nn.DistributedDataParallel, or of how the network is shared out or spread
-- @tparam table read options of the trainer that are checked: model, optimizer
-- @treturn table
function ranks.read(given, read)
  local model = read.model
  if given == nil or given == false then
    check.that(not torch.isTypeOf(model, 'nn.FullyShardedDataParallel'),
      where .. ': nothing, expected true: model is an nn.FullyShardedDataParallel')
    return Alone
  end
  local options = {}
  for name, value in pairs(given == true and {} or check.options(where, given, names)) do options[name] = value end
  local shards = isSharded(model)
  local spread = spreadOf(options, shards)
  local dist = require 'torch.distributed'
  check.that(dist.isInitialized(), where .. ': torch.distributed is not started, expected a call of torch.distributed.init before')
  local self = { dist = dist, options = options }
  if spread then return spread.new(self, read) end
  local strategy = takeStrategy(options, read)
  if strategy == 'shardOptimizer' or torch.isTypeOf(read.optimizer, 'optim.ZeroRedundancyOptimizer') and not shards then
    require 'trainer.shared_optimizer'.new(self, read)
  elseif shards or strategy then
    require 'trainer.sharded'.new(self, read, strategy)
  else
    setmetatable(self, Together)
  end
  return self:join(self.options.group)
end

return ranks
