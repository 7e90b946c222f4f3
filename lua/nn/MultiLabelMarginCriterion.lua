--- Margin loss of sets of classes: the sum over targets t and other classes j of max(0, 1 - (x[t] - x[j])) / F; its mean over a batch.
-- Shapes: x (F) or (N, F); target of the same size, where each row is a list of classes that ends with the first 0.
-- @classmod nn.MultiLabelMarginCriterion
local torch = require 'torch'
local nn = require 'nn'
local onDeviceOf = require 'autograd.on_device_of'
local expectClasses = require 'nn.support.classRange'
local refuse = require 'torch.check.refuse'

-- Returns which positions of the lists are used (those before the first 0), and which classes are targets.
local function masks(target)
  local counts = torch.eq(torch.cumsum(torch.eq(target, 0):_as 'Long', 2), 0)
  local isTarget = onDeviceOf(torch.ByteTensor(target:size()):zero(), target)
  for i = 1, target:size(1) do
    for k = 1, target:size(2) do
      if counts[i][k] == 1 then isTarget[i][target[i][k]] = 1 end
    end
  end
  return counts, isTarget
end

local function loss(self, input, target)
  local dims, classes = input:dim(), input:size(input:dim())
  if dims ~= 1 and dims ~= 2 then refuse.shape('nn.MultiLabelMarginCriterion: input: vector or matrix expected') end
  if not (target:dim() == dims and target:nElement() == input:nElement() and target:size(dims) == classes) then
    refuse.shape('nn.MultiLabelMarginCriterion: target: inconsistent target size')
  end
  expectClasses('nn.MultiLabelMarginCriterion', target, 0, classes)
  local count = input:nElement() / classes
  local x, lists = torch.view(input:contiguous(), count, classes), target:_as 'Long':contiguous():view(count, classes)
  local counts, isTarget = masks(lists)
  self.isTarget = isTarget:typeAs(input):viewAs(input)
  -- Targets along dimension 2, all classes along dimension 3.
  local function down(t) return torch.expand(torch.view(t, count, classes, 1), count, classes, classes) end
  local function across(t) return torch.expand(torch.view(t, count, 1, classes), count, classes, classes) end
  local over = torch.add(torch.csub(across(x), down(torch.gather(x, 2, torch.cmax(lists, 1)))), 1)
  local pairs = torch.cmul(down(counts), across(torch.eq(isTarget, 0)))
  local sum = torch.sum(torch.where(torch.cmul(pairs, torch.gt(over, 0)), over, 0)) / classes
  return self.sizeAverage and sum / count or sum
end

local MultiLabelMarginCriterion, parent = nn.declare {
  name = 'nn.MultiLabelMarginCriterion', parent = 'nn.Criterion',
  compute = loss,
  samples = {
    { 'MultiLabelMarginCriterion()', { 3, 4 }, 'torch.LongTensor { { 3, 1, 0, 2 }, { 4, 0, 0, 0 }, { 1, 2, 3, 0 } }' },
  },
}

--- @tparam[opt=true] boolean sizeAverage whether terms are averaged over the batch
function MultiLabelMarginCriterion:__init(sizeAverage)
  parent.__init(self)
  self.sizeAverage = sizeAverage ~= false
  self.isTarget = torch.Tensor()
end

return MultiLabelMarginCriterion
