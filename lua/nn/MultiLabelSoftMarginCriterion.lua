--- Mean of w (log(1 + e^x) - x t) over the elements: the cross entropy of independent labels t, 0 or 1, from scores x.
-- @classmod nn.MultiLabelSoftMarginCriterion
local check = require 'torch.check'
local nn, pairwise = require 'nn', require 'nn.support.pairwise'

local entropy = 'csub(softplus(input), cmul(input, target))'
local weighted = ('cmul(%s, weights)'):format(entropy)

local labels = 'torch.DoubleTensor { { 1, 0, 1 }, { 0, 0, 1 } }'
local Criterion, parent = nn.declare(pairwise {
  name = 'nn.MultiLabelSoftMarginCriterion',
  terms = function(self) return self.weights and weighted or entropy end,
  samples = {
    { 'MultiLabelSoftMarginCriterion()', { 2, 3 }, labels },
    { 'MultiLabelSoftMarginCriterion(torch.DoubleTensor { 1, 2, 3 })', { 2, 3 }, labels },
  },
})

--- @tparam[opt] torch.Tensor weights one per label
-- @tparam[opt=true] boolean sizeAverage
function Criterion:__init(weights, sizeAverage)
  parent.__init(self)
  self.weights = check.weights(weights)
  self.sizeAverage = sizeAverage == nil or sizeAverage
  self.sigmoid = nn.Sigmoid()
end

return Criterion
