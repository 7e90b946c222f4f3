--- The L1 distance d of two vectors where the target is 1, max(0, margin - d) where it is -1: {a, b} with a number.
-- @classmod nn.L1HingeEmbeddingCriterion
local torch, nn = require 'torch', require 'nn'

local distance = 'sum(abs(csub(input[1], input[2])))'
local apart = ('relu(rsub(%s, margin))'):format(distance)

local L1HingeEmbeddingCriterion, parent = nn.declare {
  name = 'nn.L1HingeEmbeddingCriterion', parent = 'nn.Criterion', takes = 'table',
  formula = function(_, _, target)
    if type(target) ~= 'number' then target = target[1] end
    return target == 1 and distance or apart
  end,
  samples = { { 'L1HingeEmbeddingCriterion()', { { 4 }, { 4 } }, 1 }, { 'L1HingeEmbeddingCriterion(3)', { { 4 }, { 4 } }, -1 } },
}

--- @tparam[opt=1] number margin
function L1HingeEmbeddingCriterion:__init(margin)
  parent.__init(self)
  self.margin = tonumber(margin) or 1
  self.gradInput = { torch.Tensor(), torch.Tensor() }
end

return L1HingeEmbeddingCriterion
