--- x - log(sum(exp(x))) along a dimension.
-- @classmod nn.LogSoftmax
local nn, along = require 'nn', require 'nn.support.along'

--- @tparam[opt] int dim by default 1 for tensors of 1 or 3 dimensions, else 2
local LogSoftmax = nn.declare {
  name = 'nn.LogSoftmax',
  options = { { 'dim', 'int', optional = true, field = 'dim' } },
  values = { 'along' },
  formula = function(self, input) return 'logsoftmax(input, along)', along(input, self.dim) end,
  prints = function(self) return ('(%s)'):format(self.dim or '') end,
  samples = { { 'LogSoftmax(2)', { 4, 3 } }, { 'LogSoftmax()', { 2, 3, 2 } }, { 'LogSoftmax(-3)', { 2, 3, 2, 2 } } },
}
LogSoftmax.__givesWay = true

return LogSoftmax
