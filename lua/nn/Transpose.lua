--- Swaps dimensions, pair after pair: `nn.Transpose({d1, d2}, {d3, d4}, ...)`. The output is a copy.
-- @classmod nn.Transpose
local torch = require 'torch'
require 'nn'

local Transpose, parent = torch.class('nn.Transpose', 'nn.Module')

function Transpose:__init(...)
  parent.__init(self)
  self.permutations = { ... }
  self.numInputDims = nil
end

--- Says how many dimensions a sample has: those before them are not counted.
-- @treturn nn.Transpose self
function Transpose:setNumInputDims(numInputDims)
  self.numInputDims = numInputDims
  return self
end

function Transpose:compute(input)
  local offset = self.numInputDims and input:dim() - self.numInputDims or 0
  local output = input
  for _, pair in ipairs(self.permutations) do output = torch.transpose(output, pair[1] + offset, pair[2] + offset) end
  return torch.clone(output)
end

return Transpose
