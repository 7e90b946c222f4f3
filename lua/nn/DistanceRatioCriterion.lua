--- Mean of x + log(e^-x + e^-y) over pairs of distances {x, y}: x should be the smaller. There is no target.
-- Source: Hoffer & Ailon (2015), "Deep metric learning using triplet network", ICLR workshop.
-- @classmod nn.DistanceRatioCriterion
local torch = require 'torch'
require 'nn'

local DistanceRatioCriterion, parent = torch.class('nn.DistanceRatioCriterion', 'nn.Criterion')
DistanceRatioCriterion.takes = 'table'

--- @tparam[opt=true] boolean sizeAverage
function DistanceRatioCriterion:__init(sizeAverage)
  parent.__init(self)
  self.sizeAverage = sizeAverage == nil or sizeAverage
end

function DistanceRatioCriterion:compute(input)
  assert(#input == 2, 'nn.DistanceRatioCriterion: input: a table of two tensors was expected')
  local x, y = input[1], input[2]
  assert(x:nElement() == y:nElement(), 'nn.DistanceRatioCriterion: input: tensors of equal size were expected')
  local loss = torch.sum(torch.softplus(torch.csub(x, torch.viewAs(y:contiguous(), x))))      -- x + log(e^-x + e^-y)
  return self.sizeAverage and loss / x:nElement() or loss
end

return DistanceRatioCriterion
