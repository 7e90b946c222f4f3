--- Distances in the p-norm: {a, b} -> |a - b|. Shapes: (F) and (F) -> (1), (N, F) and (N, F) -> (N).
-- @classmod nn.PairwiseDistance
local torch, nn = require 'torch', require 'nn'
local refuse = require 'torch.check.refuse'

local PairwiseDistance, parent = nn.declare {
  name = 'nn.PairwiseDistance', takes = 'table',
  compute = function(self, input)
    local dims = input[1]:dim()
    if dims ~= 1 and dims ~= 2 then refuse.shape('nn.PairwiseDistance: input: input must be vector or matrix') end
    local difference = torch.csub(input[1], input[2])
    if self.eps then difference = torch.add(difference, self.eps) end
    local distance = torch.norm(difference, self.norm, dims)
    return dims == 2 and not self.keepdim and torch.view(distance, input[1]:size(1)) or distance
  end,
  samples = {
    { 'PairwiseDistance(1)', { { 3, 4 }, { 3, 4 } } }, { 'PairwiseDistance()', { { 3, 4 }, { 3, 4 } } },
    { 'PairwiseDistance(3)', { { 4 }, { 4 } } },
  },
}

--- @tparam[opt=2] number p
-- @tparam[opt=0] number eps added to each difference; PyTorch adds 1e-6
-- @tparam[opt=false] boolean keepdim whether the result is a column, (N, 1)
function PairwiseDistance:__init(p, eps, keepdim)
  parent.__init(self)
  self.gradInput = {}
  self.diff = torch.Tensor()
  self.norm, self.eps, self.keepdim = p or 2, eps, keepdim
end

return PairwiseDistance
