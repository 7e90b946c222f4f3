--- The mean along a dimension: nn.Sum with sizeAverage.
-- @classmod nn.Mean
local Mean, parent = require 'nn'.declare { name = 'nn.Mean', parent = 'nn.Sum', samples = { { 'Mean(2)', { 4, 3 } } } }

--- @tparam[opt=1] int dimension
-- @tparam[opt] int nInputDims as for nn.Sum
function Mean:__init(dimension, nInputDims)
  parent.__init(self, dimension, nInputDims, true)
end

-- For modules in old files, which lack it.
Mean.sizeAverage = true

return Mean
