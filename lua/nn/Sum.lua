--- The sum along a dimension, or the mean.
-- @classmod nn.Sum
local check, nn = require 'torch.check', require 'nn'
local refuse = require 'torch.check.refuse'

local function dimensionOf(self, dims)
  local dim, own = self.dimension, self.nInputDims or -1           -- old files have no nInputDims
  if dim < 0 then
    dim = dims + dim + 1
  elseif own > 0 and dims == own + 1 then
    dim = dim + 1
  end
  if not (dim >= 1 and dims >= dim) then refuse.range('dimension exceeds input dimensions') end
  return dim
end

local Sum, parent = nn.declare {
  name = 'nn.Sum',
  values = { 'dim', 'count', 'sizes' },
  formula = function(self, input)
    local dims, sizes = input:dim(), {}
    local dim = dimensionOf(self, dims)
    for d = 1, dims do sizes[d] = d == dim and 1 or input:size(d) end
    local goes = self.squeeze ~= false and dims > 1
    return goes and 'div(select(sum(input, dim), dim, 1), count)' or 'div(sum(input, dim), count)', dim,
      self.sizeAverage and input:size(dim) or 1, sizes
  end,
  gradient = 'expand(view(contiguous(div(g, count)), sizes), size(input))',
  samples = { { 'Sum(1)', { 4, 3 } }, { 'Sum(1, 1)', { 4, 3 }, rows = true }, { 'Sum(2, nil, true, false)', { 4, 3 } } },
}

--- @tparam[opt=1] int dimension negative counts from the end
-- @tparam[opt] int nInputDims number of dimensions of a sample: for an input with one more, `dimension` is shifted by one
-- @tparam[opt=false] boolean sizeAverage mean instead of sum
-- @tparam[opt=true] boolean squeeze whether the dimension is removed, except for a vector
function Sum:__init(dimension, nInputDims, sizeAverage, squeeze)
  parent.__init(self)
  self.dimension = dimension or 1
  self.nInputDims = nInputDims or -1
  self.sizeAverage = sizeAverage or false
  if squeeze ~= nil and type(squeeze) ~= 'boolean' then
    check.raise(('nn.Sum: squeeze: a %s: squeeze has to be true/false'):format(type(squeeze)))
  end
  self.squeeze = squeeze == nil or squeeze
end

return Sum
