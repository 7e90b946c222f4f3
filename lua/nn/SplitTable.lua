--- Takes a tensor apart along a dimension: a table of its slices, which share its memory.
-- @classmod nn.SplitTable
local torch = require 'torch'
require 'nn'

local SplitTable, parent = torch.class('nn.SplitTable', 'nn.Module')

--- @tparam int dimension which the slices lack; negative counts from the end
-- @tparam[opt] int nInputDims number of dimensions of a sample: in an input with one more, `dimension` is one further
function SplitTable:__init(dimension, nInputDims)
  parent.__init(self)
  self.dimension, self.nInputDims = dimension, nInputDims
end

function SplitTable:compute(input)
  local dims, dim = input:dim(), self.dimension
  if dim < 0 then
    dim = dims + dim + 1
  elseif self.nInputDims and dims == self.nInputDims + 1 then
    dim = dim + 1
  end
  local slices = {}
  for i = 1, input:size(dim) do slices[i] = torch.select(input, dim, i) end
  return slices
end

return SplitTable
