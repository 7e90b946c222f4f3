--- Puts in a dimension of size 1.
-- @classmod nn.Unsqueeze
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local Unsqueeze, parent = torch.class('nn.Unsqueeze', 'nn.Module')

--- @tparam int pos place of the new dimension in a sample
-- @tparam[opt] int numInputDims number of dimensions of a sample; those of the first input unless given
function Unsqueeze:__init(pos, numInputDims)
  parent.__init(self)
  self.pos = pos or check.raise 'the position to insert singleton dim not specified'
  self:setNumInputDims(numInputDims)
end

--- @tparam ?int numInputDims
-- @treturn nn.Unsqueeze self
function Unsqueeze:setNumInputDims(numInputDims)
  self.numInputDims = numInputDims
  return self
end

function Unsqueeze:compute(input)
  local dims = input:dim()
  self.numInputDims = self.numInputDims or dims
  local pos = self.pos + dims - self.numInputDims
  if pos < 1 or pos > dims + 1 then
    error(('Invalid position: %d. Input dims is %d, numInputDims is %d'):format(self.pos, dims, self.numInputDims), 0)
  end
  return torch.unsqueeze(input, pos)
end

function Unsqueeze:__tostring__()
  return ('%s(dim %d)'):format(torch.type(self), self.pos)
end

return require 'nn.support.reshaping'(Unsqueeze)
