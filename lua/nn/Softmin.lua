--- exp(-x) / sum(exp(-x)) along a dimension.
-- @classmod nn.Softmin
local nn, along = require 'nn', require 'nn.support.along'

--- @tparam[opt] int dim by default 1 for tensors of 1 or 3 dimensions, else 2
local Softmin = nn.declare {
  name = 'nn.Softmin',
  options = { { 'dim', 'int', optional = true, field = 'dim' } },
  values = { 'along' },
  formula = function(self, input) return 'softmax(neg(input), along)', along(input, self.dim) end,
  prints = function(self) return ('(%s)'):format(self.dim or '') end,
  samples = { { 'Softmin(2)', { 4, 3 } }, { 'Softmin()', { 2, 3, 2 } }, { 'Softmin(-3)', { 2, 3, 2, 2 } } },
}
Softmin.__givesWay = true

return Softmin
