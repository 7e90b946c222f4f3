--- Rectifier: max(0, x), elementwise, any shape. The gradient at 0 is 0.
-- Source: Glorot et al. (2011), "Deep Sparse Rectifier Neural Networks", AISTATS.
-- @classmod nn.ReLU
local ReLU, parent = require 'nn'.declare {
  name = 'nn.ReLU', parent = 'nn.Threshold', inplace = true,
  formula = 'relu(input)',
  samples = { { 'ReLU()', { 4, 3 }, rows = true } },
}

--- @tparam[opt=false] boolean inplace write over the input
function ReLU:__init(inplace)
  parent.__init(self, 0, 0, inplace)
end

return ReLU
