--- Cross entropy of classes, from scores: nn.LogSoftMax, then nn.ClassNLLCriterion.
-- Shapes: x (F) or (1, F) with a class, or (N, F) with N classes; dimensions of size 1 don't matter.
-- @classmod nn.CrossEntropyCriterion
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'

local CrossEntropyCriterion, parent = torch.class('nn.CrossEntropyCriterion', 'nn.Criterion')

--- @tparam[opt] torch.Tensor weights a weight a class
-- @tparam[opt=true] boolean sizeAverage
function CrossEntropyCriterion:__init(weights, sizeAverage)
  parent.__init(self)
  self.sizeAverage = sizeAverage == nil or sizeAverage
  self.lsm = nn.LogSoftMax()
  self.nll = nn.ClassNLLCriterion(weights, self.sizeAverage)
  self.oldSizeAverage = self.sizeAverage
end

-- Without dimensions of size 1, but at least one dimension.
local function squeezed(x)
  local sizes = {}
  for d = 1, x:dim() do
    if x:size(d) ~= 1 then sizes[#sizes + 1] = x:size(d) end
  end
  if #sizes == x:dim() then return x end
  if #sizes == 0 then sizes[1] = 1 end
  return torch.view(x, torch.LongStorage(sizes))
end

function CrossEntropyCriterion:compute(input, target)
  if self.sizeAverage ~= self.oldSizeAverage then                 -- else that of `nll` is a program's own
    self.nll.sizeAverage, self.oldSizeAverage = self.sizeAverage, self.sizeAverage
  end
  if type(target) ~= 'number' then target = squeezed(check.tensor('nn.CrossEntropyCriterion', 'target', target)) end
  local logs = self.lsm:compute(squeezed(input))
  self.lsm.output = logs:detach()
  return self.nll:compute(logs, target)
end

function CrossEntropyCriterion:updateOutput(input, target)
  local loss = parent.updateOutput(self, input, target)
  self.nll.output = loss
  return loss
end

CrossEntropyCriterion.derived = { updateOutput = CrossEntropyCriterion.updateOutput, updateGradInput = parent.updateGradInput }

return CrossEntropyCriterion
