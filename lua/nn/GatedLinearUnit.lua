--- The first half along a dimension, times the sigmoid of the second half.
-- Shapes: the size of the dimension, which must be even, is halved.
-- Source: Dauphin et al. (2017), "Language Modeling with Gated Convolutional Networks", ICML, eq. 1.
-- @classmod nn.GatedLinearUnit
local torch = require 'torch'
require 'nn'

local GatedLinearUnit, parent = torch.class('nn.GatedLinearUnit', 'nn.Module')

--- @tparam[opt] int dim the last one unless given
function GatedLinearUnit:__init(dim)
  parent.__init(self)
  self.dim = dim
end

function GatedLinearUnit:compute(input)
  local dim = self.dim or input:dim()
  local size = input:size(dim)
  if size % 2 ~= 0 then
    error(('nn.GatedLinearUnit: input: Halving dimension must be even. Dim %d is size %d'):format(dim, size), 0)
  end
  return torch.cmul(torch.narrow(input, dim, 1, size / 2), torch.sigmoid(torch.narrow(input, dim, size / 2 + 1, size / 2)))
end

return GatedLinearUnit
