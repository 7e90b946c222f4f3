--- Cross entropy of classes, from scores: nn.LogSoftMax, then nn.ClassNLLCriterion.
-- Shapes: x (F) or (1, F) with a class, or (N, F) with N classes; dimensions of size 1 are ignored.
-- @classmod nn.CrossEntropyCriterion
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local nn, wide = require 'nn', require 'nn.support.wide'

-- Removes dimensions of size 1, but leaves at least one dimension.
local function squeezed(x)
  local sizes = {}
  for d = 1, x:dim() do
    if x:size(d) ~= 1 then sizes[#sizes + 1] = x:size(d) end
  end
  if #sizes == x:dim() then return x end
  if #sizes == 0 then sizes[1] = 1 end
  return torch.view(x, torch.LongStorage(sizes))
end

local function classesOf(self, target)
  if self.sizeAverage ~= self.oldSizeAverage then                 -- otherwise a program may have set that of `nll`
    self.nll.sizeAverage, self.oldSizeAverage = self.sizeAverage, self.sizeAverage
  end
  return type(target) == 'number' and target or squeezed(check.tensor('nn.CrossEntropyCriterion', 'target', target))
end

local function compute(self, input, target)
  target = classesOf(self, target)
  local logs = self.lsm:compute(squeezed(input))
  self.lsm.output = logs:detach()
  return self.nll:compute(logs, target)
end

local function isPlain(self, input)
  return self.compute == compute and torch.isTensor(input) and not C.tracked(input) and not wide.typeOf(input)
end

local function versionOf(value) return torch.isTensor(value) and C.versionOf(value) or 0 end

-- criterion -> the last arguments of `lsm` and `nll`: input, target, log probabilities, and their versions
local last = setmetatable({}, { __mode = 'k' })

local function isLast(self, input, target)
  local held, logs = last[self], self.lsm.output
  return held and rawequal(held[1], input) and rawequal(held[2], target) and rawequal(held[3], logs)
    and held[4] == versionOf(input) and held[5] == versionOf(target) and held[6] == versionOf(logs)
end

-- Computes the loss with `lsm` and `nll`.
local function loss(self, input, scores, target)
  local classes, logs = classesOf(self, target), self.lsm:updateOutput(scores)
  local value, held = self.nll:updateOutput(logs, classes), last[self] or {}
  held[1], held[2], held[3], held[4], held[5], held[6] = input, target, logs, versionOf(input), versionOf(target), versionOf(logs)
  last[self] = held
  return value
end

-- If it fails, the fallback reports the error.
local function forward(self, input, target)
  local done, value = isPlain(self, input), nil
  if done then done, value = pcall(loss, self, input, squeezed(input), target) end
  if not done then
    value = nn.Criterion.updateOutput(self, input, target)
    self.nll.output = value
  end
  self.output = value
  return value
end

local function backward(self, input, target)
  if self.gradInput == nil or not isPlain(self, input) then return nn.Criterion.updateGradInput(self, input, target) end
  local scores = squeezed(input)
  if not isLast(self, input, target) then loss(self, input, scores, target) end
  local gradient = self.lsm:updateGradInput(scores, self.nll:updateGradInput(self.lsm.output, classesOf(self, target)))
  self.gradInput = rawequal(scores, input) and gradient or gradient:viewAs(input)
  return self.gradInput
end

local CrossEntropyCriterion, parent = nn.declare {
  name = 'nn.CrossEntropyCriterion', parent = 'nn.Criterion',
  compute = compute, forward = forward, backward = backward,
  samples = {
    { 'CrossEntropyCriterion()', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
    { 'CrossEntropyCriterion(torch.DoubleTensor { 1, 2, 3 })', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
  },
}

--- @tparam[opt] torch.Tensor weights one per class
-- @tparam[opt=true] boolean sizeAverage
function CrossEntropyCriterion:__init(weights, sizeAverage)
  parent.__init(self)
  self.sizeAverage = sizeAverage == nil or sizeAverage
  self.lsm = nn.LogSoftMax()
  self.nll = nn.ClassNLLCriterion(weights, self.sizeAverage)
  self.oldSizeAverage = self.sizeAverage
end

return CrossEntropyCriterion
