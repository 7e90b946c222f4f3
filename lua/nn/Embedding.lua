--- Rows of a learnt matrix, by their positions.
-- Shapes: positions (…), a tensor of any dtype, from 1 -> (…, size).
-- @classmod nn.Embedding
local torch, check, lookup = require 'torch', require 'torch.check', require 'nn.support.lookup'
require 'nn'

local Embedding, parent = torch.class('nn.Embedding', 'nn.Module')
Embedding.__givesWay = true

--- @tparam int count number of rows
-- @tparam int size their length
-- @tparam[opt] int padding position of a row that is zero at first and has no gradient
-- @tparam[opt] number maxNorm used rows with a larger norm are scaled to this norm, in `weight`
-- @tparam[opt=2] number normType of maxNorm
-- @tparam[opt=false] boolean scaleGradByFreq divides each row's gradient by the number of its uses
-- @tparam[opt=false] boolean sparse the gradient that the tape leaves in `weight.grad` has the rows that were used alone: an
--   torch.RowGradient, for optim.SparseAdam, SGD and Adagrad
function Embedding:__init(count, size, padding, maxNorm, normType, scaleGradByFreq, sparse)
  check.int('nn.Embedding', 'count', count, { min = 1 })
  check.int('nn.Embedding', 'size', size, { min = 1 })
  parent.__init(self)
  self.padding = padding and check.int('nn.Embedding', 'padding', padding, { min = 1, max = count })
  self.maxNorm = maxNorm and check.number('nn.Embedding', 'maxNorm', maxNorm, { min = 0 })
  self.normType = check.number('nn.Embedding', 'normType', normType or 2)
  self.scaleGradByFreq = scaleGradByFreq or false
  self.sparse = check.flag('nn.Embedding', 'sparse', sparse or false)
  self:declare('weight', torch.Tensor(count, size))
  self:reset()
end

--- Draws the weight from normal(0, 1).
function Embedding:reset()
  torch.noGrad(function()
    self.weight:normal(0, 1)
    if self.padding then self.weight[self.padding]:zero() end
  end)
end

function Embedding:compute(input)
  local numbers = input:detach():_as 'Long':contiguous():view(-1)
  local rows = lookup.rows(self.weight, numbers, {
    maxNorm = self.maxNorm, normType = self.normType, padding = self.padding, byFrequency = self.scaleGradByFreq,
    sparse = self.sparse,
  })
  local size = input:size():totable()
  size[#size + 1] = self.weight:size(2)
  return torch.view(rows, torch.LongStorage(size))
end

function Embedding:__tostring__()
  return ('%s(%d, %d)'):format(torch.type(self), self.weight:size(1), self.weight:size(2))
end

return require('nn.support.options').install(Embedding)
