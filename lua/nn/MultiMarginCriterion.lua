--- Margin loss of classes: the sum over classes j other than y of w[y] max(0, margin - x[y] + x[j])^p / F; its mean over a batch.
-- Shapes: x (F) with a class number or a tensor of one, or (N, F) with N classes.
-- Source: Weston & Watkins (1999), "Support Vector Machines for Multi-Class Pattern Recognition", ESANN.
-- @classmod nn.MultiMarginCriterion
local torch, check = require 'torch', require 'torch.check'
local onDeviceOf = require 'autograd.on_device_of'
local nn = require 'nn'
local expectClasses = require 'nn.support.classRange'
local refuse = require 'torch.check.refuse'

-- Returns the classes as a column.
local function column(input, target)
  if type(target) == 'number' then target = onDeviceOf(torch.LongTensor { target }, input) end
  local classes = target:_as 'Long':contiguous()
  if classes:nElement() ~= input:size(1) or classes:dim() > 1 then
    refuse.shape 'nn.MultiMarginCriterion: target: inconsistent target size'
  end
  expectClasses('nn.MultiMarginCriterion', classes, 1, input:size(2))
  return classes:view(-1, 1)
end

local function loss(self, input, target)
  if input:dim() == 1 then input = torch.view(input:contiguous(), 1, -1) end
  if input:dim() ~= 2 then refuse.shape('nn.MultiMarginCriterion: input: vector or matrix expected') end
  local classes, others = column(input, target), onDeviceOf(torch.ByteTensor(input:size()):fill(1), input)
  others:scatter(2, classes, 0)
  local over = torch.add(torch.csub(input, torch.gather(input, 2, classes)), self.margin)
  local terms = torch.where(torch.cmul(others, torch.gt(over, 0)), over, 0)
  if self.p == 2 then terms = torch.cmul(terms, terms) end
  if self.weights then terms = torch.cmul(terms, self.weights:index(1, classes:view(-1)):view(-1, 1)) end
  local sum = torch.sum(terms) / input:size(2)
  return self.sizeAverage and sum / input:size(1) or sum
end

local MultiMarginCriterion, parent = nn.declare {
  name = 'nn.MultiMarginCriterion', parent = 'nn.Criterion',
  compute = loss,
  samples = {
    { 'MultiMarginCriterion()', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' }, { 'MultiMarginCriterion()', { 3 }, 2, of = 'a vector' },
    { 'MultiMarginCriterion(2, torch.DoubleTensor { 1, 2, 3 }, 0.7)', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
  },
}

--- @tparam[opt=1] int p 1 or 2
-- @tparam[opt] torch.Tensor weights one per class
-- @tparam[opt=1] number margin
-- @tparam[opt=true] boolean sizeAverage whether terms are averaged over the batch
function MultiMarginCriterion:__init(p, weights, margin, sizeAverage)
  check.that(p == nil or p == 1 or p == 2, 'only p=1 and p=2 supported')
  parent.__init(self)
  self.p, self.margin = p or 1, margin or 1
  self.sizeAverage = sizeAverage ~= false
  self.target_tensor = torch.LongTensor(1)
  self.weights = check.weights(weights)
end

return MultiMarginCriterion
