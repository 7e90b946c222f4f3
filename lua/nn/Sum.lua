--- The sum along a dimension, or the mean.
-- @classmod nn.Sum
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'

-- The dimension, and by how much the sum is divided.
local function dimensionOf(self, input)
  local dims, dim, own = input:dim(), self.dimension, self.nInputDims or -1  -- old files have no nInputDims
  if dim < 0 then
    dim = dims + dim + 1
  elseif own > 0 and dims == own + 1 then
    dim = dim + 1
  end
  assert(dim >= 1 and dims >= dim, 'dimension exceeds input dimensions')
  return dim, self.sizeAverage and input:size(dim) or 1
end

local Sum, parent = nn.declare {
  name = 'nn.Sum',
  values = { 'dim', 'count' },
  formula = function(self, input)
    local dim, count = dimensionOf(self, input)
    if self.squeeze ~= false and input:dim() > 1 then return 'div(select(sum(input, dim), dim, 1), count)', dim, count end
  end,
  gradient = 'expand(unsqueeze(div(g, count), dim), size(input))',
  otherwise = function(self, input)                                -- where the dimension stays
    local dim, count = dimensionOf(self, input)
    return torch.div(torch.sum(input, dim), count)
  end,
  samples = { { 'Sum(1)', { 4, 3 } }, { 'Sum(1, 1)', { 4, 3 }, rows = true }, { 'Sum(2, nil, true, false)', { 4, 3 } } },
}

--- @tparam[opt=1] int dimension negative counts from the end
-- @tparam[opt] int nInputDims number of dimensions of a sample: in an input with one more, `dimension` is one further
-- @tparam[opt=false] boolean sizeAverage mean instead of sum
-- @tparam[opt=true] boolean squeeze whether the dimension goes, of a vector excepted
function Sum:__init(dimension, nInputDims, sizeAverage, squeeze)
  parent.__init(self)
  self.dimension = dimension or 1
  self.nInputDims = nInputDims or -1
  self.sizeAverage = sizeAverage or false
  if squeeze ~= nil then check.that(type(squeeze) == 'boolean', 'squeeze has to be true/false') end
  self.squeeze = squeeze == nil or squeeze
end

return Sum
