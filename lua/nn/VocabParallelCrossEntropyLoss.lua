--- Cross entropy of scores whose classes are spread over the ranks of a group, as nn.ColumnParallelLinear with gatherOutput = false leaves
-- them: log(sum of exp(x)) - x[class], without gathering the scores. The loss is the same on all ranks.
-- Shapes: x (classes / n), or (..., classes / n), this rank's part; classes (...) from 1, the same on all ranks.
-- Source: Shoeybi et al. (2019), "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", section 3.
-- @classmod nn.VocabParallelCrossEntropyLoss
local torch = require 'torch'
require 'nn'
local check, sharded = require 'torch.check', require 'nn.support.sharded'
local dist = require 'torch.distributed'
local messages, refuse = require 'torch.check.message', require 'torch.check.refuse'

local where = 'nn.VocabParallelCrossEntropyLoss'

local Loss, parent = torch.class(where, 'nn.Criterion')
Loss.__givesWay = true

--- @tparam[opt=-100] int ignoreIndex a class without loss
-- @tparam[opt='mean'] string reduction 'mean' over the targets that count, 'sum', or 'none'
-- @tparam[opt] Group group of torch.distributed.newGroup; all ranks by default
function Loss:__init(ignoreIndex, reduction, group)
  parent.__init(self)
  self.ignoreIndex = check.int(where, 'ignoreIndex', ignoreIndex or -100)
  self.reduction = check.choice(where, 'reduction', reduction or 'mean', { 'mean', 'sum', 'none' })
  sharded.join(self, group)
end

-- Returns the scores as rows, and the classes as a vector.
local function flat(input, target)
  local size = input:size(input:dim())
  local x = torch.view(torch.contiguous(input), -1, size)
  local numbers = (type(target) == 'number' and torch.LongTensor { target } or target:detach():long():contiguous():view(-1))
  if numbers:nElement() ~= x:size(1) then
    refuse.shape(('%s: target: %s, expected a class for each of %d rows of scores'):format(where,
      type(target) == 'number' and target or messages.sizes(target), x:size(1)))
  end
  return x, numbers
end

local function checkClasses(numbers, counted, classes)
  local wrong = torch.cmul(counted, torch.add(torch.lt(numbers, 1), torch.gt(numbers, classes)))
  if wrong:sum() > 0 then
    check.raise(('%s: target: %d, expected 1 to %d'):format(where, numbers[wrong:byte()][1], classes), 'range')
  end
end

function Loss:compute(input, target)
  local group = sharded.group(self)
  local options = { group = group }
  local x, numbers = flat(input, target)
  local counted = torch.ne(numbers, self.ignoreIndex)
  checkClasses(numbers, counted, x:size(2) * group:size())
  local largest = dist.allReduce(torch.max(x:detach(), 2):clone(), 'max', options)
  local shifted = torch.csub(x, largest:view(-1, 1):expandAs(x))
  local places, isMine = sharded.places(numbers, x:size(2), group)
  local own = torch.cmul(torch.gather(shifted, 2, places:view(-1, 1)), isMine:typeAs(x):view(-1, 1))
  local sums = torch.cat(torch.sum(torch.exp(shifted), 2):view(-1, 1), own, 2)      -- one message for both
  sums = dist.functional.reduceFromRegion(sums, options)
  local losses = torch.csub(torch.log(torch.select(sums, 2, 1)), torch.select(sums, 2, 2))
  losses = torch.cmul(losses, counted:typeAs(losses))
  if self.reduction == 'none' then
    return input:dim() < 3 and losses or torch.view(losses, torch.LongStorage { unpack(input:size():totable(), 1, input:dim() - 1) })
  end
  local sum = torch.sum(losses)
  return self.reduction == 'sum' and sum or torch.div(sum, counted:sum())
end

function Loss:__tostring__() return ('%s(%d parts)'):format(where, #self.ranks) end

return require('nn.support.options').install(Loss)
