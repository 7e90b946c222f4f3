--- exp(x) / sum(exp(x)) along a dimension.
-- @classmod nn.Softmax
local nn, along = require 'nn', require 'nn.support.along'

--- @tparam[opt] int dim by default 1 for tensors of 1 or 3 dimensions, else 2
local Softmax = nn.declare {
  name = 'nn.Softmax',
  options = { { 'dim', 'int', optional = true, field = 'dim' } },
  values = { 'along' },
  formula = function(self, input) return 'softmax(input, along)', along(input, self.dim) end,
  prints = function(self) return ('(%s)'):format(self.dim or '') end,
  samples = { { 'Softmax(2)', { 4, 3 } }, { 'Softmax()', { 2, 3, 2 } }, { 'Softmax(-3)', { 2, 3, 2, 2 } } },
}
Softmax.__givesWay = true

return Softmax
