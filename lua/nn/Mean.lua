--- The mean along a dimension: nn.Sum with sizeAverage.
-- @classmod nn.Mean
local torch = require 'torch'
require 'nn'

local Mean, parent = torch.class('nn.Mean', 'nn.Sum')

--- @tparam[opt=1] int dimension
-- @tparam[opt] int nInputDims as of nn.Sum
function Mean:__init(dimension, nInputDims)
  parent.__init(self, dimension, nInputDims, true)
end

-- Of modules in old files, which lack it.
Mean.sizeAverage = true

return Mean
