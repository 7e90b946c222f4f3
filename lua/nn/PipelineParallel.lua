--- A network whose stages are on the ranks of a group, one on each: a batch goes through them in micro-batches, so that all stages compute
-- at once. Each rank has the parameters and activations of its stage alone. See docs/distributed.md.
-- @classmod nn.PipelineParallel
-- @usage local net = nn.PipelineParallel({ makeFirst, makeSecond }, { microBatches = 8, criterion = nn.CrossEntropyCriterion() })
-- local steps = optim.Adam(net:requiresGrad():parameters())      -- th-launch -n 2 program.lua
-- steps:zeroGrad()
-- local loss = net:step(x, y)      -- instead of forward and backward
-- steps:step()
local torch, nn = require 'torch', require 'nn'
local check, sharded, replica = require 'torch.check', require 'nn.support.sharded', require 'distributed.replica'
local schedules, messages = require 'nn.support.pipeline_schedule', require 'nn.support.pipeline_messages'
local run = require 'nn.support.pipeline_run'
local dist, nested = require 'torch.distributed', require 'nn.nested'

local where = 'nn.PipelineParallel'

local PipelineParallel, parent = torch.class(where, 'nn.Decorator')
PipelineParallel.__givesWay = true      -- Torch7 lacks it

local firstTag, made = 2 ^ 27, 0      -- tags of messages: two for each pipeline of the program, far from those of programs

local function refuse(what) check.raise(('%s: %s'):format(where, what)) end

-- Returns this rank's stage of an nn.Sequential, and the numbers of modules of all stages.
local function stageOf(net, place, count)
  if #net.modules < count then refuse(('stages: an nn.Sequential of %d modules, expected %d or more'):format(#net.modules, count)) end
  local weights = {}
  for i, module in ipairs(net.modules) do
    weights[i] = 1      -- modules without parameters are spread, too
    for _, x in ipairs(module:parameters() or {}) do weights[i] = weights[i] + x:nElement() end
  end
  local sizes, stage, first = schedules.divide(weights, count), nn.Sequential(), 0
  for i = 1, place - 1 do first = first + sizes[i] end
  for i = first + 1, first + sizes[place] do stage:add(net.modules[i]) end
  return stage, sizes
end

local function chosen(self, stages, place, count, group)
  if type(stages) == 'table' and torch.isTypeOf(stages, 'nn.Sequential') then
    replica.compare(where, stages, group)
    replica.copy(stages, group)
    local stage
    stage, self.split = stageOf(stages, place, count)
    return stage
  end
  check.table(where, 'stages', stages)
  if torch.typename(stages) or #stages ~= count then
    refuse(('stages: %s, expected an nn.Sequential, or a list of %d modules or functions, one for each rank'):format(
      torch.typename(stages) or ('a list of %d'):format(#stages), count))
  end
  local stage = stages[place]
  return check.instance(where, ('stages[%d]'):format(place), type(stage) == 'function' and stage() or stage, 'a module')
end

--- Takes this rank's stage. All ranks of the group call it.
-- @param stages an nn.Sequential, whose modules are divided so that the largest number of parameters of a stage is small, with the
-- parameters of the group's first rank; or a list of modules or functions that make them, one for each rank, of which only this rank's is
-- called
-- @tparam[opt] table options
--
-- - `microBatches`: their number in each step (that of the ranks)
-- - `schedule`: '1F1B', in which a stage keeps the activations of at most as many micro-batches as stages follow, itself included; or
--   'GPipe', in which it keeps those of all
-- - `criterion`: of the last stage's output and the target; needed by `step`
-- - `group`: of torch.distributed.newGroup; all ranks by default
-- @raise on every rank, if the ranks' options differ
function PipelineParallel:__init(stages, options)
  options = check.options(where, options, { 'microBatches', 'schedule', 'criterion', 'group' })
  parent.__init(self)
  local group = sharded.join(self, options.group)
  local count, place = group:size(), group:rank() + 1
  self.microBatches = check.int(where, 'microBatches', options.microBatches or count, { min = 1 })
  self.schedule = check.choice(where, 'schedule', options.schedule or '1F1B', { '1F1B', 'GPipe' })
  self.criterion = options.criterion ~= nil and check.instance(where, 'criterion', options.criterion, 'a criterion') or nil
  local mine = ('%d micro-batches, %s, %s'):format(self.microBatches, self.schedule,
    self.criterion and torch.type(self.criterion) or 'no criterion')
  for i, other in ipairs(dist.allGatherObject(mine, { group = group })) do
    if other ~= mine then refuse(('options: %s, expected those of rank %d: %s'):format(mine, group.ranks[i], other)) end
  end
  -- A stage that can't be made is an error of all ranks.
  local done, stage = pcall(chosen, self, stages, place, count, group)
  sharded.agree(where, not done and stage or nil, group)
  self.modules[1] = stage
  self.tag, made = firstTag + 2 * made, made + 1
end

-- Returns part i of n of a batch, a tensor or a table of tensors, along dimension 1.
local function partOf(name, batch, i, n)
  if type(batch) == 'table' and not torch.typename(batch) then
    local parts = {}
    for key, x in pairs(batch) do parts[key] = partOf(name, x, i, n) end
    return parts
  end
  if not torch.isTensor(batch) then refuse(('%s: %s, expected a tensor or a table of tensors'):format(name, torch.type(batch))) end
  local rows = batch:dim() > 0 and batch:size(1) or 0
  if rows < n then refuse(('%s: %d examples, expected %d or more, one for each micro-batch'):format(name, rows, n)) end
  local least, more = math.floor(rows / n), rows % n
  return batch:narrow(1, (i - 1) * least + math.min(i - 1, more) + 1, least + (i <= more and 1 or 0))
end

local function rowsOf(batch)
  while type(batch) == 'table' do batch = select(2, next(batch)) end
  return batch:size(1)
end

-- Runs the actions of this rank's stage.
local function passes(self, actions, input, trains, finish)
  local group, count = sharded.group(self), self.microBatches
  local place = group:rank() + 1
  local result = run {
    module = self.modules[1], actions = actions, count = count, group = group, tag = self.tag, trains = trains, finish = finish,
    previous = group.ranks[place - 1], next = group.ranks[place + 1],
    inputOf = function(i) return partOf('input', input, i, count) end,
  }
  self.last = { seconds = result.seconds, waited = result.waited, bubble = result.waited / result.seconds, kept = result.kept }
  return result.problem
end

-- Returns the parts of an output side by side, a tensor or a list of tensors.
local function joined(parts)
  if torch.isTensor(parts[1]) then return torch.cat(parts, 1) end
  local list = {}
  for i = 1, #parts[1] do
    local column = {}
    for k, part in ipairs(parts) do column[k] = part[i] end
    list[i] = joined(column)
  end
  return list
end

local function copied(x) return x:detach():clone() end

--- Computes the loss of a batch, and adds the gradients to the parameters' `grad`: those of one process, to rounding. A criterion that
-- averages, as `sizeAverage` or `reduction` say, weighs micro-batches by their numbers of examples. All ranks call it.
-- @tparam ?torch.Tensor input the batch, or a table of tensors, along dimension 1; the first stage's rank needs it
-- @param target likewise; the last stage's rank needs it
-- @treturn number the loss, on all ranks
-- @raise on every rank, if a stage fails; the gradients then have the parts of the passes before
function PipelineParallel:step(input, target) return (self:_step(input, target)) end

-- A step of a trainer multiplies the gradients by a factor, and also returns the output, on the last stage.
function PipelineParallel:_step(input, target, factor)
  local criterion, count, loss, outputs = self.criterion, self.microBatches, 0, {}
  if not criterion then refuse 'step: no criterion, expected the option criterion' end
  local isMean = criterion.reduction == 'mean' or criterion.reduction == nil and criterion.sizeAverage ~= false
  local group = sharded.group(self)
  local actions = schedules[self.schedule](group:rank() + 1, group:size(), count)
  local problem = torch.enableGrad(passes, self, actions, input, true, function(y, i)
    local part = partOf('target', target, i, count)
    local value = criterion(y, part)
    if isMean then value = value * (rowsOf(part) / rowsOf(target)) end
    loss = loss + (torch.isTensor(value) and value:item() or value)
    if factor then
      outputs[i] = nested.map(y, copied)
      value = value * factor
    end
    return value
  end)
  return sharded.agree(where, problem, group, loss), outputs[1] and joined(outputs)
end

--- Computes the output of a batch in micro-batches, without gradients. All ranks call it.
-- @tparam ?torch.Tensor input the batch, or a table of tensors, along dimension 1; the first stage's rank needs it
-- @return the last stage's output, on all ranks
-- @raise on every rank, if a stage fails
function PipelineParallel:forward(input)
  local parts, group = {}, sharded.group(self)
  local problem = torch.noGrad(passes, self, schedules.forward(self.microBatches), input, false, function(y, i)
    local wrong = messages.problem(y)
    if wrong then refuse('output: ' .. wrong) end
    parts[i] = nested.map(y, copied)
    return y
  end)
  sharded.agree(where, problem, group)
  local last = group.ranks[group:size()]
  self.output = dist.broadcastObject(#parts > 0 and joined(parts) or nil, last, { group = group })
  return self.output
end

PipelineParallel.updateOutput, PipelineParallel.__call__ = PipelineParallel.forward, PipelineParallel.forward
PipelineParallel.onTape, PipelineParallel.compute = PipelineParallel.forward, PipelineParallel.forward

--- Is refused: `step` has the backward passes of micro-batches between their forward passes.
function PipelineParallel.backward() refuse 'backward: expected step(input, target), which computes gradients, too' end
PipelineParallel.updateGradInput, PipelineParallel.accGradParameters = PipelineParallel.backward, PipelineParallel.backward

--- Returns what the last step or forward took on this rank.
-- @treturn table `seconds`; `waited`, of them for other stages; `bubble`, the share of that, (p - 1) / (n + p - 1) for p stages that take
-- equally long and n micro-batches; `kept`, the most micro-batches whose activations the stage kept at once
function PipelineParallel:statistics()
  if not self.last then refuse 'statistics: nothing has run, expected step or forward before' end
  return self.last
end

--- Scales the gradients on the tape so that the norm of those of all stages is at most maxNorm. All ranks call it.
-- @number maxNorm
-- @treturn number the norm before
function PipelineParallel:clipGradNorm(maxNorm)
  return sharded.clipGradNorm(self, maxNorm, function() return true end)
end

--- Returns the whole network, for one process: an nn.Sequential of copies of all stages, or of their modules if the network was divided.
-- All ranks call it.
-- @int[opt=0] target the rank that gets it
-- @treturn ?nn.Sequential on the target
function PipelineParallel:gathered(target)
  local group = sharded.group(self)
  local own = self.modules[1]
  if torch.isTypeOf(own, 'nn.DistributedDataParallel') then own = own:get(1) end
  local stages = dist.gatherObject(own, target or group.ranks[1], { group = group })
  if not stages then return nil end
  local net = nn.Sequential()
  for _, stage in ipairs(stages) do
    for _, module in ipairs(self.split and stage.modules or { stage }) do net:add(module) end
  end
  return net
end

function PipelineParallel:__tostring__()
  return ('%s(%d stages, %d micro-batches, %s) @ %s'):format(where, #self.ranks, self.microBatches, self.schedule,
    tostring(self.modules[1]))
end

return PipelineParallel
