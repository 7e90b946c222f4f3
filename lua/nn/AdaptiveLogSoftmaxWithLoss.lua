--- A softmax of many classes, sorted by frequency: rare classes are in clusters with smaller maps. module(input, target) returns the
-- log-probabilities of the targets and their mean loss.
-- Shapes: input (N, inFeatures) with N classes from 1, or (inFeatures) with one class.
-- Source: Grave et al. (2017), "Efficient softmax approximation for GPUs", ICML.
-- @classmod nn.AdaptiveLogSoftmaxWithLoss
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local onDeviceOf, sizes = require 'autograd.on_device_of', require('nn.support.kinds').exact.sizes

local AdaptiveLogSoftmaxWithLoss, parent = torch.class('nn.AdaptiveLogSoftmaxWithLoss', 'nn.Module')
AdaptiveLogSoftmaxWithLoss.__givesWay = true

local name = 'nn.AdaptiveLogSoftmaxWithLoss'

--- @tparam int inFeatures
-- @tparam int nClasses
-- @tparam {int,...} cutoffs the last class of each group but the last, increasing
-- @tparam[opt=4] number divValue factor by which the clusters' maps become smaller
-- @tparam[opt=false] bool headBias
function AdaptiveLogSoftmaxWithLoss:__init(inFeatures, nClasses, cutoffs, divValue, headBias)
  parent.__init(self)
  check.int(name, 'inFeatures', inFeatures, { min = 1 })
  check.int(name, 'nClasses', nClasses, { min = 2 })
  self.divValue = check.number(name, 'divValue', divValue or 4, { min = 1 })
  local bounds = sizes(name, 'cutoffs', cutoffs, { min = 1, max = nClasses - 1 })
  for i = 2, #bounds do
    if bounds[i] <= bounds[i - 1] then
      check.raise(('%s: cutoffs[%d]: %d, expected more than %d'):format(name, i, bounds[i], bounds[i - 1]))
    end
  end
  if #bounds == 0 then check.raise(name .. ': cutoffs: an empty list, expected one class or more') end
  bounds[#bounds + 1] = nClasses
  self.cutoffs = bounds
  self.head = nn.Linear(inFeatures, bounds[1] + #bounds - 1, headBias == true)
  self.tail = nn.ModuleList()
  for i = 1, #bounds - 1 do
    local hidden = math.max(1, math.floor(inFeatures / self.divValue ^ i))
    self.tail:append(nn.Sequential():add(nn.Linear(inFeatures, hidden, false)):add(nn.Linear(hidden, bounds[i + 1] - bounds[i], false)))
  end
end

--- @tparam torch.Tensor input
-- @tparam int|torch.Tensor target classes from 1
-- @treturn torch.Tensor the targets' log-probabilities, (N)
-- @return their negative mean: a number, or a tensor if the input or a parameter is tracked
function AdaptiveLogSoftmaxWithLoss:forward(input, target)
  local rows = input:dim() == 1 and torch.view(input, 1, -1) or input
  local classes = type(target) == 'number' and torch.LongTensor { target } or check.tensor(name, 'target', target):long():view(-1)
  if classes:nElement() ~= rows:size(1) then
    check.raise(('%s: target: %d classes, expected %d'):format(name, classes:nElement(), rows:size(1)), 'shape')
  end
  local cutoffs = self.cutoffs
  require 'nn.support.classRange'(name, classes, 1, cutoffs[#cutoffs])
  local inHead, output = classes:clone(), nil
  for i = 1, #cutoffs - 1 do
    local low = cutoffs[i]
    local members = torch.nonzero(torch.cmul(torch.gt(classes, low), torch.le(classes, cutoffs[i + 1])))
    if members:nElement() > 0 then
      members = members:view(-1)
      inHead:indexFill(1, members, cutoffs[1] + i)
      local logp = torch.logsoftmax(self.tail[i](torch.index(rows, 1, onDeviceOf(members, rows))), 2)
      local own = torch.view(torch.gather(logp, 2, onDeviceOf(classes:index(1, members):add(-low):view(-1, 1), rows)), -1)
      output = torch.indexAdd(output or rows.new(rows:size(1)):zero(), 1, onDeviceOf(members, rows), own)
    end
  end
  local head = torch.view(torch.gather(torch.logsoftmax(self.head(rows), 2), 2, onDeviceOf(inHead:view(-1, 1), rows)), -1)
  output = output and torch.add(output, head) or head
  return output, torch.mean(output) * -1
end

--- Returns the log-probabilities of all classes.
-- @tparam torch.Tensor input (N, inFeatures)
-- @treturn torch.Tensor (N, nClasses)
function AdaptiveLogSoftmaxWithLoss:logProb(input)
  local head, first = torch.logsoftmax(self.head(input), 2), self.cutoffs[1]
  local parts = { torch.narrow(head, 2, 1, first) }
  for i = 1, #self.cutoffs - 1 do
    local logp = torch.logsoftmax(self.tail[i](input), 2)
    parts[i + 1] = torch.add(logp, torch.expandAs(torch.narrow(head, 2, first + i, 1), logp))
  end
  return torch.cat(parts, 2)
end

--- Returns the most probable class of each sample.
-- @tparam torch.Tensor input (N, inFeatures)
-- @treturn torch.LongTensor (N)
function AdaptiveLogSoftmaxWithLoss:predict(input)
  local _, classes = torch.max(self:logProb(input):detach(), 2)
  return classes:view(-1)
end

return require('nn.support.options').install(AdaptiveLogSoftmaxWithLoss)
