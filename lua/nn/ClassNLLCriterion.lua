--- Negative log likelihood of classes, from log probabilities.
-- loss = -sum of w[t] x[i][t], divided by the sum of w[t] when sizeAverage; w is 1 unless given.
-- Shapes: x (F) with a class number or a tensor of one, or (N, F) with N classes of any tensor type, counted from 1.
-- @classmod nn.ClassNLLCriterion
local torch = require 'torch'
local nn = require 'nn'
local _ = nn.Criterion

local ClassNLLCriterion, parent = torch.class('nn.ClassNLLCriterion', 'nn.Criterion')

--- @tparam[opt] torch.Tensor weights a weight a class
-- @tparam[opt=true] boolean sizeAverage
-- @tparam[opt=-100] int ignoreIndex class, counted from 0, whose samples don't count
function ClassNLLCriterion:__init(weights, sizeAverage, ignoreIndex)
  parent.__init(self)
  self.sizeAverage = sizeAverage == nil or sizeAverage
  self.ignoreIndex = ignoreIndex or -100
  if weights then
    assert(weights:dim() == 1, 'weights input should be 1-D Tensor')
    self.weights = weights
  end
  self.output_tensor, self.total_weight_tensor = torch.zeros(1), torch.ones(1)
  self.target = torch.zeros(1):long()
end

function ClassNLLCriterion:__len__()
  return self.weights and #self.weights or 0
end

local function classesOf(target)
  if type(target) == 'number' then return torch.LongTensor { target } end
  if target:dim() > 1 and target:nElement() ~= target:size(1) then error('nn.ClassNLLCriterion: target: multi-target not supported', 0) end
  return target:long():view(-1)
end

-- The classes with those to ignore set to 1, and the weight of each sample, or nil when all are 1.
local function weigh(self, input, classes, count)
  local ignored = self.ignoreIndex + 1
  local skipped
  if ignored >= 1 and ignored <= count or classes:min() == ignored or classes:max() == ignored then
    skipped = torch.eq(classes, ignored)
    classes = classes:clone():maskedFill(skipped, 1)
  end
  local low, high = classes:min(), classes:max()
  if low < 1 or high > count then
    error(('nn.ClassNLLCriterion: target: class %d, expected 1 to %d'):format(low < 1 and low or high, count), 0)
  end
  local weights
  if self.weights then
    if self.weights:nElement() ~= count then
      error(('nn.ClassNLLCriterion: weights: weight tensor should be defined either for all %d classes or no classes but got weight '
        .. 'tensor of shape: [%d]'):format(count, self.weights:nElement()), 0)
    end
    weights = self.weights:index(1, classes)
  end
  if skipped then
    weights = weights or input.new():resize(classes:size()):fill(1)
    weights:maskedFill(skipped, 0)
  end
  return classes, weights
end

function ClassNLLCriterion:compute(input, target)
  local dim = input:dim()
  if dim ~= 1 and dim ~= 2 then error(('nn.ClassNLLCriterion: input: %d dimensions, input tensor should be 1D or 2D'):format(dim), 0) end
  local classes = classesOf(target)
  local samples = dim == 2 and input:size(1) or 1
  if classes:nElement() ~= samples then
    error(('nn.ClassNLLCriterion: target: %d classes, expected %d, one for each sample'):format(classes:nElement(), samples), 0)
  end
  local weights
  classes, weights = weigh(self, input, classes, input:size(dim))
  local picked = torch.gather(input, dim, dim == 2 and classes:view(-1, 1) or classes)
  if weights then picked = torch.cmul(picked, dim == 2 and weights:view(-1, 1) or weights) end
  local total = weights and weights:sum() or samples
  self.total_weight_tensor[1] = total
  local loss = torch.sum(picked) * -1
  if self.sizeAverage and total ~= 0 then loss = loss / total end
  return loss
end

--- @treturn number the loss
-- @treturn number the sum of the weights
function ClassNLLCriterion:updateOutput(input, target)
  local loss = parent.updateOutput(self, input, target)
  return loss, self.total_weight_tensor[1]
end

ClassNLLCriterion.derived = { updateOutput = ClassNLLCriterion.updateOutput, updateGradInput = parent.updateGradInput }

return ClassNLLCriterion
