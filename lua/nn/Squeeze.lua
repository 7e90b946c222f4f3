--- Removes all dimensions of size 1, or a given one; a batch dimension stays.
-- @classmod nn.Squeeze
local torch, nn = require 'torch', require 'nn'

local Squeeze, parent = nn.declare {
  name = 'nn.Squeeze', shows = true,
  values = { 'sizes' },
  formula = require 'nn.support.reshaping'(function(self, input)
    assert(torch.isTensor(input), 'Squeeze only works on tensors')
    local dims, sizes = input:dim(), {}
    local batch = self.numInputDims and dims == self.numInputDims + 1
    local dim = self.dim and (batch and self.dim + 1 or self.dim)
    for d = 1, dims do
      local size = input:size(d)
      local goes = size == 1 and (not dim or d == dim) and not (batch and d == 1)
      if not goes then sizes[#sizes + 1] = size end
    end
    if #sizes == 0 then sizes[1] = 1 end
    return sizes
  end),
  samples = { { 'Squeeze()', { 2, 1, 3 } }, { 'Squeeze(1, 2)', { 2, 1, 3 }, rows = true } },
}

--- @tparam[opt] int dim of a sample
-- @tparam[opt] int numInputDims number of dimensions of a sample: an input with one more is a batch
function Squeeze:__init(dim, numInputDims)
  parent.__init(self)
  self.dim = dim
  self:setNumInputDims(numInputDims)
end

--- Sets the number of dimensions of a sample; nil for no batch dimension.
-- @tparam ?int numInputDims
-- @treturn nn.Squeeze self
function Squeeze:setNumInputDims(numInputDims)
  self.numInputDims = numInputDims
  return self
end

return Squeeze
