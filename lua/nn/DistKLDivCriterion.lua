--- Kullback-Leibler divergence: mean of t (log t - x) over the elements with t > 0; x are log probabilities. Source: Kullback & Leibler
-- (1951), "On Information and Sufficiency", Ann. Math. Statist. 22.
-- @classmod nn.DistKLDivCriterion
local nn, pairwise = require 'nn', require 'nn.support.pairwise'

local DistKLDivCriterion, parent = nn.declare(pairwise({
  name = 'nn.DistKLDivCriterion',
  terms = 'where(gt(target, 0), cmul(target, csub(log(where(gt(target, 0), target, 1)), input)), 0)',
  samples = { { 'DistKLDivCriterion()', { 4 }, 'torch.DoubleTensor { 0.3, 0, 0.5, 0.2 }' } },
}, 'input and target should have the same size'))

--- @tparam[opt=true] boolean sizeAverage whether terms are averaged
function DistKLDivCriterion:__init(sizeAverage)
  parent.__init(self)
  self.sizeAverage = sizeAverage ~= false
end

return DistKLDivCriterion
