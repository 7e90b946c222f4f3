--- Returns its input, and adds the gradient of an L1 penalty on it: m |x|, which is stored in the field `loss`.
-- @classmod nn.L1Penalty
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local tape, saving = require 'autograd.tape', require('autograd.rules').saving
local nn, explain = require 'nn', require 'nn.support.explain'

local penalise = tape.declare('nn.L1Penalty', function(x) return C.detach(x) end, {
  arguments = { 'x', 'weight', 'passOn' },
  saving('x, weight, passOn', function(g, x, weight, passOn)
    local own = torch.mul(torch.sign(x), weight)
    return passOn and torch.add(g, own) or own
  end),
})

local function weightFor(self, input)
  check.tensor(torch.type(self), 'input', input)
  return self.sizeAverage and self.l1weight / input:nElement() or self.l1weight
end

--- @tparam number l1weight
-- @tparam[opt=false] boolean sizeAverage divide it by the number of elements
-- @tparam[opt=true] boolean provideOutput if false, the gradient is only that of the penalty
local L1Penalty = nn.declare {
  name = 'nn.L1Penalty',
  options = {
    { 'l1weight', 'number', field = 'l1weight' }, { 'sizeAverage', 'boolean', default = false, field = 'sizeAverage' },
    { 'provideOutput', 'boolean', default = true, field = 'provideOutput' },
  },
  compute = function(self, input)
    local weight = weightFor(self, input)
    self.loss = weight * input:detach():norm(1)
    return penalise(input, weight, self.provideOutput)
  end,
}

-- The output is the input itself.
function L1Penalty:updateOutput(input)
  self.loss = weightFor(self, explain.input(self, input)) * input:detach():norm(1)
  self.output = input
  return input
end

--- gradOutput is optional if provideOutput is false.
function L1Penalty:updateGradInput(input, gradOutput)
  local gradient = torch.noGrad(function() return torch.sign(explain.input(self, input)):mul(weightFor(self, input)) end)
  if self.provideOutput then gradient:add(gradOutput:detach()) end
  self.gradInput = gradient
  return gradient
end

L1Penalty.derived = {
  updateOutput = L1Penalty.updateOutput, updateGradInput = L1Penalty.updateGradInput, accGradParameters = nn.Module.accGradParameters,
}

--- Doesn't change the tensors, because they belong to other modules.
function L1Penalty:clearState()
  self.output = self.output.new()
  self.gradInput = self.gradInput and self.gradInput.new()
  return self
end

return L1Penalty
