--- Ranks that train nn.PipelineParallel, or copies of it: those of a copy have a stage each, and the same batches.
-- @module trainer.pipeline_parallel
local torch, nn, check = require 'torch', require 'nn', require 'torch.check'
local Spread, SpreadState = require 'trainer.spread', require 'trainer.spread_state'
local sharded = require 'nn.support.sharded'

local where = 'Trainer: distributed'

local Pipeline = setmetatable({}, Spread)
Pipeline.__index = Pipeline

--- @tparam table self `dist`, `options`
-- @tparam table read options of the trainer that are checked
-- @treturn table
function Pipeline.new(self, read)
  local function refuse(name, actual, expected)
    check.raise(('%s: pipeline: %s: %s, expected %s'):format(where, name, actual, expected))
  end
  if torch.typename(read.model) ~= 'nn.Sequential' then
    refuse('model', torch.typename(read.model), 'an nn.Sequential, whose modules are divided into stages')
  end
  if not torch.isTypeOf(read.criterion, 'nn.Criterion') then
    refuse('criterion', torch.type(read.criterion), 'an nn.Criterion, whose losses of micro-batches are averaged')
  end
  read.model:apply(function(module)
    if torch.isTypeOf(module, 'nn.SyncBatchNorm') then
      refuse('model', 'an nn.SyncBatchNorm inside', 'nn.BatchNormalization: ranks with other stages do not compute it')
    end
  end)
  if read.precision then refuse('precision', ("'%s'"):format(read.precision), 'none: stages compute in the types of their parameters') end
  if read.scaler.enabled then refuse('scaler', 'given', 'none: losses are not scaled') end
  if read.device and read.device ~= 'cpu' then refuse('device', ("'%s'"):format(read.device), "'cpu': stages are on the CPU") end
  self = Spread.new(Pipeline, self, read, 'pipeline', { 'microBatches', 'schedule' })
  self.criterion, self.speaker = read.criterion, self.parts - 1      -- the last stage has the outputs
  self.measures = self.seat % self.parts == self.speaker
  return self
end

function Pipeline:wrap(model)
  local whole = SpreadState.whole(model)
  local net = nn.PipelineParallel(model, {
    microBatches = self.microBatches, schedule = self.schedule, criterion = self.criterion, group = self.row,
  })
  local stage, place, before = net:get(1), self.row:rank(), 0
  for i = 1, place do before = before + net.split[i] end
  self.microBatches, self.model = net.microBatches, net
  self:setNet(net, whole, stage, function(name)
    local number, rest = name:match '^(%d+)(.*)$'
    return ('%d%s'):format(number + before, rest)
  end, self.row)
  local empty = #(stage:parameters() or {}) == 0 and ('stage %d has no parameters, expected fewer stages'):format(place + 1) or nil
  sharded.agree(where .. ': pipeline', empty, self.row)
  if self.count > 1 then
    self.copy = nn.DistributedDataParallel(stage, self.copies)
    net.modules[1] = self.copy
  end
  return net, net
end

-- A batch with fewer samples than micro-batches has as many of these.
local function divide(self, size) self.net.microBatches = math.max(1, math.min(self.microBatches, size)) end

function Pipeline:add(_, input, target, size, factor)
  divide(self, size)
  if self.copy then self.copy:setWeight(size) end
  local loss, output = 0, nil
  if size == 0 then self.copy:idle() else loss, output = self.net:_step(input, target, factor) end
  return self:mean(loss, size), loss, output
end

function Pipeline:evaluate(protocol, input, target, size)
  if size == 0 then return nil end
  divide(self, size)
  local loss, output = protocol:evaluate(input, target)
  if self.measures then return loss, output end
end

function Pipeline:whole(net)
  local first = self.row.ranks[1]
  return self.dist.broadcastObject(net:gathered(first), first, { group = self.row })
end

return Pipeline
