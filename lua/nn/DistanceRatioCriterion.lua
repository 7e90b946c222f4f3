--- Mean of x + log(e^-x + e^-y) over pairs of distances {x, y}: x should be the smaller. There is no target.
-- Source: Hoffer & Ailon (2015), "Deep metric learning using triplet network", ICLR workshop.
-- @classmod nn.DistanceRatioCriterion
local nn = require 'nn'
local refuse = require 'torch.check.refuse'

--- @tparam[opt=true] boolean sizeAverage
local DistanceRatioCriterion = nn.declare {
  name = 'nn.DistanceRatioCriterion', parent = 'nn.Criterion', takes = 'table',
  options = { { 'sizeAverage', 'boolean', default = true, field = 'sizeAverage' } },
  formula = function(self, input)
    assert(#input == 2, 'nn.DistanceRatioCriterion: input: expected a table of two tensors')
    local count = input[1]:nElement()
    if count ~= input[2]:nElement() then refuse.shape('nn.DistanceRatioCriterion: input: expected tensors of equal size') end
    return 'mul(sum(softplus(csub(input[1], viewAs(contiguous(input[2]), input[1])))), factor)', self.sizeAverage and 1 / count or 1
  end,
  values = { 'factor' },
  samples = { { 'DistanceRatioCriterion()', { { 4 }, { 4 } }, { 4 } } },
}

return DistanceRatioCriterion
