--- Binary cross entropy: mean of -w (t log x + (1 - t) log(1 - x)) for probabilities x; 1e-12 is added in both logarithms.
-- @classmod nn.BCECriterion
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local nn, pairwise = require 'nn', require 'nn.support.pairwise'
local refuse = require 'torch.check.refuse'

local ofOnes = 'cmul(log(add(input, 0.000000000001)), target)'
local ofZeros = 'cmul(log(rsub(input, 1.000000000001)), rsub(target, 1))'
local entropy = ('neg(add(%s, %s))'):format(ofOnes, ofZeros)
-- Torch7's gradient, which is 0 rather than 1 where x = t = 0.
local slope = 'cdiv(csub(input, target), cmul(rsub(input, 1.000000000001), add(input, 0.000000000001)))'
local function weighted(terms) return ('cmul(%s, squeeze(weights))'):format(terms) end
local weightedEntropy = weighted(entropy)

local function checkRange(_, input)
  if not torch.isTensor(input) or input:nElement() == 0 then return end
  input = input:detach()
  local low, high = input:min(), input:max()
  local outside = low < 0 and low or high > 1 and high
  if outside then refuse.range(('nn.BCECriterion: input: input value should be between 0~1, but got %f'):format(outside)) end
end

local labels = 'torch.DoubleTensor { { 1, 0, 1 }, { 0, 0.5, 1 } }'
local BCECriterion, parent
BCECriterion, parent = nn.declare(pairwise({
  name = 'nn.BCECriterion',
  terms = function(self, input, target)
    if not C.alike(input, target) and input:type() ~= target:type() then return nil end
    return self.weights and weightedEntropy or entropy
  end,
  gradient = { [entropy] = slope, [weightedEntropy] = weighted(slope) },
  otherwise = function(self, input, target) return BCECriterion.compute(self, input, target:typeAs(input)) end,
  accepts = checkRange,
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
