--- Ranks that train an nn.FullyShardedDataParallel: each has its shards of the parameters. A pass moves parameters between all ranks, so
-- all make it, also those without a sample of a batch.
-- @module trainer.sharded
local torch, check = require 'torch', require 'torch.check'
local Together, states, folder = require 'trainer.ranks'.Together, require 'trainer.sharded_state', require 'trainer.checkpoint_folder'

local where = 'Trainer'

local Sharded = setmetatable({}, Together)
Sharded.__index = Sharded

-- Whether steps of shards are those of whole parameters.
local function isElementwise(optimizer, isClass)
  local rule = (isClass or torch.isTypeOf(optimizer, 'optim.Optimizer')) and optimizer._rule
  return rule and not rule.search and (rule.isElementwise or rule.launch ~= nil and not rule.onlyRows)
end

--- Checks that an optimiser computes for parts of parameters what it does for the whole.
-- @tparam table read options of the trainer that are checked
function Sharded.needElementwise(read)
  local optimizer = read.optimizer
  if isElementwise(optimizer, read.isClass) then return end
  check.raise(('%s: optimizer: %s, expected an elementwise one on the tape, such as optim.Adam: parameters are shared out')
    :format(where, type(optimizer) == 'function' and 'a function' or torch.typename(optimizer) or 'another class'))
end

--- Checks what the network needs.
-- @tparam table self `dist`, `options`
-- @tparam table read options of the trainer that are checked
-- @tparam ?string strategy of the wrapper, if the model has none
-- @treturn table
function Sharded.new(self, read, strategy)
  for name in pairs(self.options) do
    check.that(name == 'group', ('%s: distributed: %s: an option of nn.DistributedDataParallel, expected none: parameters are shared out')
      :format(where, name))
  end
  Sharded.needElementwise(read)
  self.strategy = strategy
  if not strategy then
    self.options = { group = read.model:_given() }
    if not read.isClass then read.model:optimizerState(read.optimizer) end      -- raises an error if its parameters are others
  end
  self.model, self.optimizer = read.model, read.optimizer
  return setmetatable(self, Sharded)
end

function Sharded:wrap(model)
  if self.strategy then
    model = require('nn').FullyShardedDataParallel(model, { group = self.options.group, strategy = self.strategy })
  end
  self.model = model
  return model, model
end

function Sharded:optimizerOf(model, class, config)
  self.optimizer = class((model:parameters()), config)
  return self.optimizer
end

-- Returns a batch for this rank: its own, or that of the first rank with one.
local function batchOf(self, input, target, sizes)
  local source, isMissing
  for place, size in ipairs(sizes) do
    if size > 0 then source = source or place - 1 else isMissing = true end
  end
  if not isMissing then return input, target end
  local rank = self.options.group and self.options.group.ranks[source + 1] or source
  local sent = self.dist.broadcastObject({ input = input, target = target }, rank, self.of)
  if input == nil then return sent.input, sent.target end
  return input, target
end

local function sizesOf(self, size)
  local sizes = {}
  for i, x in ipairs(self.dist.allGather(torch.DoubleTensor { size }, self.of)) do sizes[i] = x[1] end
  return sizes
end

function Sharded:add(protocol, input, target, size, factor)
  local sizes = sizesOf(self, size)
  input, target = batchOf(self, input, target, sizes)
  self.model:_setWeights(sizes)
  local loss, output = protocol:add(input, target, factor)
  return self:mean(loss, size), loss, output
end

function Sharded:evaluate(protocol, input, target, size)
  input, target = batchOf(self, input, target, sizesOf(self, size))
  local loss, output = protocol:evaluate(input, target)
  if size > 0 then return loss, output end
end

-- A rank sees the gradients of its shards alone: if those of one are not finite, all skip the step.
function Sharded:agreeOnScale(scaler)
  scaler:_agree(self.optimizer, function(isFound) return self:isAnywhere(isFound) end)
end

function Sharded:clip(_, maxNorm) return self.model:clipGradNorm(maxNorm) end

Sharded.modelState = states

-- Returns the averages of shards as an optimiser whose state they are, and the state by the parameters of the network.
local function averagesOf(self, average)
  local like = { parameters = average.parameters, groups = { { parameters = average.parameters } } }
  function like.stateDict() return folder.optimizerFormat(average:stateDict()) end
  return require 'nn.support.shards_state'(self.model, like)
end

function Sharded:write(name, state, average)
  self:shareBuffers()      -- until the next pass, each rank has its own
  self:writeParts(name, state, self.model:shardedStateDict(), self.model:optimizerState(self.optimizer),
    average and averagesOf(self, average):shardedStateDict())
end

function Sharded:read(problems, name, average)
  local optimizer, averages = self.model:optimizerState(self.optimizer), average and averagesOf(self, average)
  return self:readParts(problems, name, {
    model = function(values) return states.part(self.model, values) end,
    optimizer = function(values) return torch.noGrad(optimizer.read, optimizer, values) end,
    average = averages and function(values) return torch.noGrad(averages.read, averages, values) end,
  })
end

function Sharded.whole(_, model) return model:gathered() end

return Sharded
