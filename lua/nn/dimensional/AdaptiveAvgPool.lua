--- The mean of each of a fixed number of bins: nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d.
-- Bin i of n, along a dimension of size s, extends from floor((i - 1) s / n) + 1 to ceil(i s / n).
-- Shapes: x (N, C, …) or (C, …) -> the same with outputSize; false as an entry keeps the input's size.
-- @module nn.dimensional.AdaptiveAvgPool
local layer = require 'nn.support.layer'

return function(dims)
  local function sample(arguments)
    return { ('AdaptiveAvgPool%dd(%s)'):format(dims, arguments), { 2, 2, unpack({ 5, 6, 4 }, 1, dims) }, rows = true }
  end
  return (layer {
    name = ('nn.AdaptiveAvgPool%dd'):format(dims), call = ('adaptiveAvgPool%dd'):format(dims),
    prints = function(self)
      local sizes = {}
      for i = 1, dims do sizes[i] = tostring(self.outputSize[i]) end
      return ('({%s})'):format(table.concat(sizes, ', '))
    end,
    samples = { sample '3', sample '1', sample(('{ %s }'):format(table.concat({ 'false', '5', '2' }, ', ', 1, dims))) },
  })
end
