--- Mean of max(0, margin - input target); the target's elements are 1 or -1.
-- @classmod nn.MarginCriterion
local nn, pairwise = require 'nn', require 'nn.support.pairwise'

local MarginCriterion, parent = nn.declare(pairwise {
  name = 'nn.MarginCriterion',
  terms = 'relu(rsub(cmul(input, target), margin))',
  samples = { { 'MarginCriterion(0.4)', { 4 }, 'torch.DoubleTensor { 1, -1, -1, 1 }' } },
})

--- @tparam[opt=1] number margin
-- @tparam[opt=true] boolean sizeAverage whether terms are averaged
function MarginCriterion:__init(margin, sizeAverage)
  parent.__init(self)
  self.sizeAverage = sizeAverage ~= false
  self.margin = margin or 1
end

return MarginCriterion
