--- Mean of x where the target is 1, and of max(0, margin - x) where it is -1.
-- The target is a tensor of the input's size, or a number for all.
-- Source: Hadsell et al. (2006), "Dimensionality Reduction by Learning an Invariant Mapping", CVPR, whose distances are squared.
-- @classmod nn.HingeEmbeddingCriterion
local nn = require 'nn'
local refuse = require 'torch.check.refuse'

local apart = 'where(gt(input, margin), 0, rsub(input, margin))'   -- the gradient passes at the margin, too
local loss = 'mul(sum(%s), factor)'
local ofOne, ofMinusOne = loss:format 'input', loss:format(apart)
local ofEach = loss:format(('where(viewAs(eq(target, -1), input), %s, input)'):format(apart))

local function formulaOf(target, input)
  if type(target) == 'number' then return target == -1 and ofMinusOne or ofOne end
  if target:nElement() ~= input:nElement() then
    refuse.shape(('nn.HingeEmbeddingCriterion: target: %d elements, expected %d'):format(target:nElement(), input:nElement()))
  end
  return ofEach
end

local HingeEmbeddingCriterion, parent = nn.declare {
  name = 'nn.HingeEmbeddingCriterion', parent = 'nn.Criterion',
  formula = function(self, input, target)
    return formulaOf(target, input), self.sizeAverage == false and 1 or 1 / input:nElement()
  end,
  values = { 'factor' },
  samples = {
    { 'HingeEmbeddingCriterion(0.7)', { 4 }, 'torch.DoubleTensor { 1, -1, -1, 1 }' }, { 'HingeEmbeddingCriterion()', { 4 }, -1 },
  },
}

--- @tparam[opt=1] number margin
-- @tparam[opt=true] boolean sizeAverage whether terms are averaged
function HingeEmbeddingCriterion:__init(margin, sizeAverage)
  parent.__init(self)
  self.margin = margin or 1
  self.sizeAverage = sizeAverage ~= false
end

return HingeEmbeddingCriterion
