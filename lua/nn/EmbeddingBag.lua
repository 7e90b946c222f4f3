--- Sums, means or maxima of bags of rows of a learnt matrix.
-- The input is a matrix of positions, a bag a row; or {vector, offsets}, with the place where each bag begins, from 1; or
-- {positions, offsets or false, perSampleWeights}.
-- @classmod nn.EmbeddingBag
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'

--- @tparam int numEmbeddings number of rows
-- @tparam int embeddingDim their length
-- @tparam[opt] number maxNorm used rows with a larger norm are scaled to this norm, in `weight`
-- @tparam[opt=2] number normType of maxNorm
-- @tparam[opt=false] boolean scaleGradByFreq divides each row's gradient by the number of its uses
-- @tparam[opt='mean'] string mode 'sum', 'mean' or 'max'
-- @tparam[opt=false] boolean includeLastOffset whether the last offset is the end of the last bag
-- @tparam[opt] int paddingIdx a row that is zero at first, and that bags leave out
-- @tparam[opt=false] boolean sparse the gradient that the tape leaves in `weight.grad` has the rows that were used alone: an
--   torch.RowGradient, for optim.SparseAdam, SGD and Adagrad; not for mode 'max'
local EmbeddingBag = nn.declare {
  name = 'nn.EmbeddingBag', takes = 'any',
  options = {
    { 'numEmbeddings', 'int', min = 1 }, { 'embeddingDim', 'int', min = 1 },
    { 'maxNorm', 'number', min = 0, optional = true, field = 'maxNorm' }, { 'normType', 'number', default = 2, field = 'normType' },
    { 'scaleGradByFreq', 'boolean', default = false, field = 'scaleGradByFreq' },
    { 'mode', 'choice', choices = { 'sum', 'mean', 'max' }, default = 'mean', field = 'mode' },
    { 'includeLastOffset', 'boolean', default = false, field = 'includeLastOffset' },
    { 'paddingIdx', 'int', min = 1, optional = true, field = 'paddingIdx' },
    { 'sparse', 'boolean', default = false, field = 'sparse' },
  },
  parameters = { { 'weight', function(options)
    local padding, count = options.paddingIdx, options.numEmbeddings
    if padding and padding > count then
      check.raise(('nn.EmbeddingBag: paddingIdx: %d, expected a row from 1 to %d'):format(padding, count))
    end
    return count, options.embeddingDim
  end } },
  compute = function(self, input)
    local positions, offsets, factors = input, nil, nil
    if not torch.isTensor(input) then positions, offsets, factors = input[1], input[2] or nil, input[3] end
    return nn.functional.embeddingBag(positions, self.weight, offsets, self.maxNorm, self.normType, self.scaleGradByFreq, self.mode,
      factors, self.includeLastOffset, self.paddingIdx, self.sparse)
  end,
  prints = function(self) return ('(%d, %d, %s)'):format(self.weight:size(1), self.weight:size(2), self.mode) end,
}
EmbeddingBag.__givesWay = true

--- Draws the weight from normal(0, 1); the row of paddingIdx is 0.
function EmbeddingBag:reset()
  torch.noGrad(function()
    self.weight:normal(0, 1)
    if self.paddingIdx then self.weight[self.paddingIdx]:zero() end
  end)
end

return EmbeddingBag
