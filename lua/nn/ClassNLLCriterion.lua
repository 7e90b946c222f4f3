--- Negative log likelihood of classes, from log probabilities.
-- loss = -sum of w[t] x[i][t], divided by the sum of w[t] if sizeAverage; w is 1 by default.
-- Shapes: x (F) with a class number or a tensor, of which only the first element is used, or (N, F) with N classes of any tensor type,
-- counted from 1.
-- The op, nll_loss, reports errors in the target.
-- @classmod nn.ClassNLLCriterion
local torch, check = require 'torch', require 'torch.check'
local nn, expectWeight = require 'nn', require 'nn.support.classWeights'
local refuse = require 'torch.check.refuse'

-- Torch7's message for errors of the op, appended to the op's message.
local function explain(message, input, weights)
  message = message:gsub('^nll_loss: ', '')
  if message:find '^weights: ' then
    local shape = weights and table.concat(weights:size():totable(), 'x')
    return ('%s: weight tensor should be defined either for all %d classes or no classes but got weight tensor of shape: [%s]'):format(
      message, input:size(input:dim()), shape)
  end
  return message:find ' at place %d+, expected ' and message .. ": Assertion `cur_target >= 0 && cur_target < n_classes' failed" or message
end

local function expectDims(input, target)
  local dim = input:dim()
  if dim ~= 1 and dim ~= 2 then
    refuse.shape(('nn.ClassNLLCriterion: input: %d dimensions, input tensor should be 1D or 2D'):format(dim))
  end
  if torch.isTensor(target) and target:dim() > 1 then
    refuse.shape(('nn.ClassNLLCriterion: target: %d dimensions, multi-target not supported: expected a class a row, from 1 on'):format(
      target:dim()))
  end
end

local ClassNLLCriterion, parent = nn.declare {
  name = 'nn.ClassNLLCriterion', parent = 'nn.Criterion',
  formula = function(self, input, target)
    if input:dim() == 1 and torch.isTensor(target) and target:nElement() > 1 then
      return 'nll_loss(input, narrow(target, 1, 1, 1), weights, sizeAverage, ignored)', self.ignoreIndex or -100
    end
    return 'nll_loss(input, target, weights, sizeAverage, ignored)', self.ignoreIndex or -100
  end,
  values = { 'ignored' },
  keeps = { 'total_weight_tensor' },
  accepts = function(self, input, target)
    expectDims(input, target)
    expectWeight('nn.ClassNLLCriterion', self.weights)
  end,
  explain = function(self, message, input)
    local sentence = explain(message, input, self.weights)
    refuse.note(nil, sentence, message)
    error(sentence, 0)
  end,
  samples = {
    { 'ClassNLLCriterion()', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
    { 'ClassNLLCriterion(torch.DoubleTensor { 1, 2, 3 })', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
  },
}

--- @tparam[opt] torch.Tensor weights one per class
-- @tparam[opt=true] boolean sizeAverage
-- @tparam[opt=-100] int ignoreIndex target of samples without loss
function ClassNLLCriterion:__init(weights, sizeAverage, ignoreIndex)
  parent.__init(self)
  self.sizeAverage = sizeAverage == nil or sizeAverage
  self.ignoreIndex = ignoreIndex or -100
  self.weights = check.weights(weights)
  self.output_tensor, self.total_weight_tensor = torch.zeros(1), torch.ones(1)
  self.target = torch.LongTensor(1):zero()
end

function ClassNLLCriterion:__len__()
  return self.weights and #self.weights or 0
end

local updateOutput = ClassNLLCriterion.updateOutput

function ClassNLLCriterion:updateOutput(input, target)
  local loss = updateOutput(self, input, target)
  local captured = torch.isTensor(loss)                              -- in a capture, which has no numbers
  if self.output_tensor and captured then self.output_tensor:copy(loss) end
  if self.output_tensor and not captured then self.output_tensor:fill(loss) end
  return loss, captured and self.total_weight_tensor or self.total_weight_tensor[1]
end

ClassNLLCriterion.derived = { updateOutput = ClassNLLCriterion.updateOutput, updateGradInput = ClassNLLCriterion.updateGradInput }

return ClassNLLCriterion
