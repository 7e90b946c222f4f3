--- A criterion as a module: {prediction, target} -> the loss, a tensor of one element.
-- @classmod nn.ModuleFromCriterion
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'

local ModuleFromCriterion, parent = torch.class('nn.ModuleFromCriterion', 'nn.Module')

--- @tparam nn.Criterion criterion
function ModuleFromCriterion:__init(criterion)
  parent.__init(self)
  self.criterion = check.instance('nn.ModuleFromCriterion', 'criterion', criterion, 'a criterion')
  self.output = torch.Tensor(1)
  self.gradInput = {}
end

local function parts(input)
  if type(input) ~= 'table' or #input < 2 then
    error('nn.ModuleFromCriterion: input: expected a table {prediction, target}', 0)
  end
  return input[1], input[2]
end

--- @tparam table input {prediction, target}
-- @treturn torch.Tensor 1 element
function ModuleFromCriterion:updateOutput(input)
  local loss = self.criterion:updateOutput(parts(input))           -- some also return the total weight
  self.output:resize(1):fill(loss)
  return self.output
end

--- @treturn {torch.Tensor,torch.Tensor} the gradient by the prediction, and zeros for the target
function ModuleFromCriterion:updateGradInput(input, gradOutput)
  local prediction, target = parts(input)
  local gradient = C.nestedCopy(self.gradInput[1], self.criterion:updateGradInput(prediction, target))
  local factor = gradOutput[1]
  require('nn.nested').map(gradient, function(g) return g:mul(factor) end)
  self.gradInput = { gradient, C.nestedZeros(self.gradInput[2], target) }
  return self.gradInput
end

function ModuleFromCriterion:__tostring__() return ('%s(%s)'):format(torch.type(self), tostring(self.criterion)) end

return ModuleFromCriterion
