--- Distances in the p-norm: {a, b} -> |a - b|. Shapes: (F) and (F) -> (1), (N, F) and (N, F) -> (N).
-- @classmod nn.PairwiseDistance
local torch = require 'torch'
require 'nn'

local PairwiseDistance, parent = torch.class('nn.PairwiseDistance', 'nn.Module')
PairwiseDistance.takes = 'table'

--- @tparam[opt=2] number p
function PairwiseDistance:__init(p)
  parent.__init(self)
  self.gradInput = {}
  self.diff = torch.Tensor()
  self.norm = p or 2
end

function PairwiseDistance:compute(input)
  local dims = input[1]:dim()
  if dims ~= 1 and dims ~= 2 then error('nn.PairwiseDistance: input: input must be vector or matrix', 0) end
  local distance = torch.norm(torch.csub(input[1], input[2]), self.norm, dims)
  return dims == 2 and torch.view(distance, input[1]:size(1)) or distance
end

return PairwiseDistance
