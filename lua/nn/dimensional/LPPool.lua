--- (sum of x^normType)^(1 / normType) of each window: nn.LPPool1d, nn.LPPool2d, nn.LPPool3d.
-- Shapes: as nn.AvgPool1d etc. without padding.
-- @module nn.dimensional.LPPool
local layer = require 'nn.support.layer'

return function(dims)
  local function sample(arguments)
    return { ('LPPool%dd(%s)'):format(dims, arguments), { 2, 2, unpack({ 5, 6, 4 }, 1, dims) }, rows = true, positive = true }
  end
  return (layer {
    name = ('nn.LPPool%dd'):format(dims), call = ('lpPool%dd'):format(dims),
    prints = function(self) return ('(%g, {%s})'):format(self.normType, table.concat(self.kernelSize, ', ')) end,
    samples = { sample '2, 2', sample '3, 3, 2, { ceilMode = true }' },
  })
end
