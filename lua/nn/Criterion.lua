--- The parent of all criteria: losses of an input and a target.
-- A criterion defines its computation once, as `compute(input, target)` in differentiable ops. Torch7's `updateOutput` and
-- `updateGradInput` are derived from it, and so is the call on the tape. A class may instead define the two methods.
-- @classmod nn.Criterion
local torch, C = require 'torch', require 'libmoontorch'
local nested, run, asNode = require 'nn.nested', require 'nn.support.run', require 'nn.support.as_node'

local Criterion = torch.class 'nn.Criterion'

--- Starts with output 0 and an empty gradInput of the default type.
function Criterion:__init()
  self.gradInput = torch.Tensor()
  self.output = 0
end

--- Computes the loss into `output`: a number, or with `reduction` 'none' a tensor, whose gradient is that of its sum. The method is derived
-- from `compute` unless a class defines it.
-- @param input a tensor or a table of them
-- @param target a tensor, a number or a table, as the criterion requires
-- @treturn number
function Criterion:updateOutput(input, target)
  if not self.compute then return self.output end
  self.output = run.loss(self, input, target)
  return self.output
end

--- Computes and returns the gradient of the loss by the input. The method is derived from `compute` unless a class defines it.
-- @param input a tensor or a table of them
-- @param target a tensor, a number or a table, as the criterion requires
function Criterion:updateGradInput(input, target)
  if not self.compute then return self.gradInput end
  return run.lossGradient(self, input, target)
end

--- Returns the loss as a number.
-- @param input a tensor or a table of them
-- @param target a tensor, a number or a table, as the criterion requires
function Criterion:forward(input, target)
  return self:updateOutput(input, target)
end

--- Returns the gradient of the loss by the input.
-- @param input a tensor or a table of them
-- @param target a tensor, a number or a table, as the criterion requires
-- @return the criterion's `gradInput`, which the next backward overwrites
function Criterion:backward(input, target)
  return self:updateGradInput(input, target)
end

--- Returns the loss on the caller's tape: a tensor of one element if the input is tracked.
-- A criterion that defines Torch7's methods becomes one node.
-- @param input a tensor or a table of them
-- @param target a tensor, a number or a table, as the criterion requires
function Criterion:onTape(input, target)
  local derived = self.derived
  if self.compute and self.updateOutput == derived.updateOutput and self.updateGradInput == derived.updateGradInput then
    local loss = run.onTape(self, input, target)
    return C.isTensor(loss) and not C.tracked(loss) and self.reduction ~= 'none' and loss:item() or loss
  end
  return asNode.criterion(self, input, target)
end

--- `criterion(input, target)`: the loss on the tape if the input is tracked, and only the loss under `torch.noGrad`; else Torch7's pair of
-- loss and gradInput.
function Criterion:__call__(input, target)
  if nested.isTracked(input) or nested.isTracked(target) or not C.gradMode() then return self:onTape(input, target) end
  self.output = self:forward(input, target)
  self.gradInput = self:backward(input, target)
  return self.output, self.gradInput
end

--- Returns a deep copy, made by writing the criterion and reading it back.
function Criterion:clone()
  local file = torch.MemoryFile('rw'):binary()
  file:writeObject(self)
  file:seek(1)
  local copy = file:readObject()
  file:close()
  return copy
end

--- Converts all tensors.
-- @tparam string typename for example `torch.FloatTensor` or `float`
-- @tparam[opt] table cache as in Module:type
function Criterion:type(typename, cache)
  if not typename then error('type: typename: nil, expected the name of a type: Criterion: must provide a type to convert to', 2) end
  typename, cache = nested.checkType(self, typename, cache)
  run.forget(self)
  for key, value in pairs(self) do self[key] = nested.recursiveType(value, typename, cache) end
  return self
end

require 'nn.support.conversions'(Criterion)

function Criterion:__tostring__()
  return torch.type(self)
end

--- The methods that are derived from `compute`.
Criterion.derived = { updateOutput = Criterion.updateOutput, updateGradInput = Criterion.updateGradInput }

return Criterion
