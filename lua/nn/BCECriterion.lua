--- Binary cross entropy: mean of -w (t log x + (1 - t) log(1 - x)), x being probabilities; both logarithms are kept from 0 by 1e-12.
-- @classmod nn.BCECriterion
local torch, check = require 'torch', require 'torch.check'
local tape, saving = require 'autograd.tape', require('autograd.rules').saving
local nn, pairwise = require 'nn', require 'nn.support.pairwise'

local eps = 1e-12

-- Torch7's gradient, which is 0 and not 1 where x = t = 0.
local entropy = tape.declare('nn.BCECriterion', function(x, t)
  local ofOnes = torch.cmul(torch.log(torch.add(x, eps)), t)
  return torch.neg(torch.add(ofOnes, torch.cmul(torch.log(torch.rsub(x, 1 + eps)), torch.rsub(t, 1))))
end, {
  arguments = { 'x', 't' },
  saving('x, t', function(g, x, t)
    return torch.cmul(g, torch.cdiv(torch.csub(x, t), torch.cmul(torch.rsub(x, 1 + eps), torch.add(x, eps))))
  end),
})

local function checkRange(input)
  if input:nElement() == 0 then return end
  local low, high = input:min(), input:max()
  local outside = low < 0 and low or high > 1 and high
  if outside then error(('nn.BCECriterion: input: input value should be between 0~1, but got %f'):format(outside), 0) end
end

local labels = 'torch.DoubleTensor { { 1, 0, 1 }, { 0, 0.5, 1 } }'
local BCECriterion, parent = nn.declare(pairwise({
  name = 'nn.BCECriterion',
  terms = function(input, target, criterion)
    checkRange(input:detach())
    local terms, weights = entropy(input, target:typeAs(input)), criterion.weights
    return weights and torch.cmul(terms, target:dim() == 1 and weights or torch.view(weights, 1, -1)) or terms
  end,
  samples = {
    { 'BCECriterion()', { 2, 3 }, labels, unit = true },
    { 'BCECriterion(torch.DoubleTensor { 1, 2, 3 }, false)', { 2, 3 }, labels, unit = true },
  },
}, 'input and target size mismatch'))

--- @tparam[opt] torch.Tensor weights a weight for each element, or for each column of a matrix
-- @tparam[opt=true] boolean sizeAverage
function BCECriterion:__init(weights, sizeAverage)
  parent.__init(self)
  self.weights = check.weights(weights)
  self.sizeAverage = sizeAverage == nil or sizeAverage
end

function BCECriterion:__len__()
  return self.weights and #self.weights or 0
end

return BCECriterion
