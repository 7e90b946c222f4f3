--- nn.Linear that computes only some outputs: those in the field `partition`.
-- Shapes: x (N, in) -> (N, number of outputs in the partition).
-- @classmod nn.PartialLinear
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'

local PartialLinear, parent = nn.declare {
  name = 'nn.PartialLinear',
  parameters = { { 'bias' } },
  compute = function(self, input)
    local output = self.network:onTape { check.tensor(torch.type(self), 'input', input), self.partition }
    if not self.bias then return output end
    return torch.add(output, torch.index(self.bias, 2, self.partition:_as 'Long'))
  end,
  prints = function(self)
    return ('(%d -> %d)%s'):format(self.inputsize, self.outputsize, self.bias and '' or ' without bias')
  end,
  samples = {
    { 'PartialLinear(3, 5)', { 4, 3 } }, { 'PartialLinear(3, 5):setPartition(torch.LongTensor { 4, 2 })', { 4, 3 } },
  },
}

--- @tparam int inputsize
-- @tparam int outputsize
-- @tparam[opt=true] boolean bias
function PartialLinear:__init(inputsize, outputsize, bias)
  parent.__init(self)
  local columns = nn.ParallelTable():add(nn.Identity()):add(nn.LookupTable(outputsize, inputsize))
  self.network = nn.Sequential():add(columns):add(nn.MM(false, true))
  if bias ~= false then self:declare('bias', torch.zeros(1, outputsize)) end
  self.inputsize, self.outputsize = inputsize, outputsize
  self.allcolumns = torch.range(1, outputsize)
  self:resetPartition()
end

--- Chooses the outputs to compute.
-- @tparam torch.Tensor indices their positions
-- @treturn nn.PartialLinear self
function PartialLinear:setPartition(indices)
  self.partition = check.tensor('nn.PartialLinear', 'indices', indices):type(self.allcolumns:type())
  return self
end

--- Computes all outputs again.
-- @treturn nn.PartialLinear self
function PartialLinear:resetPartition()
  self.partition = self.allcolumns
  return self
end

function PartialLinear:parameters()
  local parameters, gradients = self.network:parameters()
  if self.bias then
    parameters[#parameters + 1], gradients[#gradients + 1] = self.bias, self.gradBias
  end
  return parameters, gradients
end

function PartialLinear:isTracked()
  return self.network:isTracked() or parent.isTracked(self)
end

--- Draws the weight from normal(0, stdv or 1) and sets the bias to 0.
function PartialLinear:reset(stdv)
  self.network:reset(stdv)
  if self.bias then torch.noGrad(self.bias.zero, self.bias) end
end

function PartialLinear:accUpdateGradParameters(input, gradOutput, lr)
  local parameters, gradients = self:parameters()
  local held = {}
  for i = 1, #gradients do held[i] = gradients[i]:clone() end
  self:sharedAccUpdateGradParameters(input, gradOutput, lr)
  for i = 1, #parameters do gradients[i]:copy(held[i]) end
end

return PartialLinear
