--- The sum along a dimension, or the mean.
-- @classmod nn.Sum
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local Sum, parent = torch.class('nn.Sum', 'nn.Module')

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

function Sum:compute(input)
  local dims, dim, own = input:dim(), self.dimension, self.nInputDims or -1  -- old files have no nInputDims
  if dim < 0 then
    dim = dims + dim + 1
  elseif own > 0 and dims == own + 1 then
    dim = dim + 1
  end
  assert(dim >= 1 and dims >= dim, 'dimension exceeds input dimensions')
  local sum = torch.sum(input, dim)
  if self.sizeAverage then sum = torch.div(sum, input:size(dim)) end
  if (self.squeeze == nil or self.squeeze) and dims > 1 then return torch.select(sum, dim, 1) end
  return sum
end

return Sum
