--- Distances in the p-norm: {a, b} -> |a - b|. Shapes: (F) and (F) -> (1), (N, F) and (N, F) -> (N).
-- @classmod nn.PairwiseDistance
local torch, nn = require 'torch', require 'nn'
local refuse = require 'torch.check.refuse'

local PairwiseDistance, parent = nn.declare {
  name = 'nn.PairwiseDistance', takes = 'table',
  compute = function(self, input)
    local dims = input[1]:dim()
    if dims ~= 1 and dims ~= 2 then refuse.shape('nn.PairwiseDistance: input: input must be vector or matrix') end
    local distance = torch.norm(torch.csub(input[1], input[2]), self.norm, dims)
    return dims == 2 and torch.view(distance, input[1]:size(1)) or distance
  end,
  samples = {
    { 'PairwiseDistance(1)', { { 3, 4 }, { 3, 4 } } }, { 'PairwiseDistance()', { { 3, 4 }, { 3, 4 } } },
    { 'PairwiseDistance(3)', { { 4 }, { 4 } } },
  },
}

--- @tparam[opt=2] number p
function PairwiseDistance:__init(p)
  parent.__init(self)
  self.gradInput = {}
  self.diff = torch.Tensor()
  self.norm = p or 2
end

return PairwiseDistance
