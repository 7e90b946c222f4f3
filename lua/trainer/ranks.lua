--- The processes that train together: one, or the ranks of torch.distributed, whose trainers make the same steps and decisions.
-- @module trainer.ranks
local torch, check = require 'torch', require 'torch.check'
local nested, share = require 'nn.nested', require 'data.share'
local kindOf = require('torch.check.message').kind

local where = 'Trainer: distributed'

-- One process.
local Alone = { count = 1, place = 0, isFirst = true }
Alone.__index = Alone

function Alone.wrap(_, model) return model end
function Alone.first(_, f, ...) return f(...) end
function Alone.all(_, value) return { value } end
function Alone.agreed(_, reason) return reason end
function Alone.rows(_, value) return value end
function Alone.shareBuffers() end

function Alone:add(protocol, input, target, _, factor)
  local loss, output = protocol:add(input, target, factor)
  return loss, loss, output
end

-- Several ones.
local Together = setmetatable({}, Alone)
Together.__index = Together

--- Returns the network that averages the gradients.
-- @tparam nn.Module model
function Together:wrap(model)
  self.model = require('nn').DistributedDataParallel(model, self.options)
  return self.model
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

--- Returns the first rank's reason to stop, or its problem, that is not nil.
-- @tparam ?string reason
-- @treturn ?string the same on all ranks
function Together:agreed(reason)
  if self.dist.allReduce(torch.ByteTensor { reason and 1 or 0 }, 'max', self.of)[1] == 0 then return nil end
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
  local sums = self.dist.allReduce(torch.DoubleTensor { loss * size, size }, 'sum', self.of)
  return sums[1] / sums[2], loss, output
end

--- Copies the buffers of the first rank's model to the others.
function Together:shareBuffers() require('distributed.replica').copyBuffers(self.model:get(1), self.options.group) end

local ranks = {}

local names = { 'group', 'bucketBytes', 'gradientCompression', 'findUnusedParameters' }

--- Checks the option `distributed`.
-- @tparam ?bool|table given true, or options of nn.DistributedDataParallel
-- @param model
-- @treturn table
function ranks.read(given, model)
  if given == nil or given == false then return Alone end
  local options = given == true and {} or check.options(where, given, names)
  if not torch.isTypeOf(model, 'nn.Module') then check.raise(('%s: model: %s, expected a module'):format(where, kindOf(model))) end
  for _, wrapper in ipairs { 'nn.DistributedDataParallel', 'nn.FullyShardedDataParallel' } do
    check.that(not torch.isTypeOf(model, wrapper),
      ('%s: model: an %s, expected the network inside: the trainer wraps it in nn.DistributedDataParallel'):format(where, wrapper))
  end
  local dist = require 'torch.distributed'
  check.that(dist.isInitialized(), where .. ': torch.distributed is not started, expected a call of torch.distributed.init before')
  local place = dist.rank(options.group)
  check.that(place, where .. ': group: without this process, expected one with it')
  return setmetatable({
    dist = dist, options = options, of = { group = options.group }, place = place, isFirst = place == 0,
    count = dist.worldSize(options.group), source = options.group and options.group.ranks[1] or 0,
  }, Together)
end

return ranks
