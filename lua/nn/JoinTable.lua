--- Joins the tensors of a table along a dimension.
-- Shapes: {(…, n1, …), (…, n2, …), ...} -> (…, n1 + n2 + ..., …).
-- @classmod nn.JoinTable
local torch = require 'torch'
require 'nn'

local JoinTable, parent = torch.class('nn.JoinTable', 'nn.Module')

--- @tparam int dimension along which to join; negative counts from the end
-- @tparam[opt] int nInputDims number of dimensions of a sample: in an input with one more, `dimension` is one further
function JoinTable:__init(dimension, nInputDims)
  parent.__init(self)
  self.size = torch.LongStorage()
  self.dimension, self.nInputDims = dimension, nInputDims
  self.gradInput = {}
end

function JoinTable:compute(input)
  local dims, dim = input[1]:dim(), self.dimension
  if dim < 0 then
    dim = dims + dim + 1
  elseif self.nInputDims and dims == self.nInputDims + 1 then
    dim = dim + 1
  end
  local output = torch.cat(input, dim)
  self.size = output:size()
  return output
end

return JoinTable
