--- nn.SpatialMaxPooling over windows with gaps between their elements.
-- Shapes: as for nn.SpatialMaxPooling, with dilationW (kW - 1) + 1 instead of kW, likewise kH.
-- @classmod nn.SpatialDilatedMaxPooling
local window = require 'nn.support.window'

local SpatialDilatedMaxPooling, parent = require 'nn'.declare {
  name = 'nn.SpatialDilatedMaxPooling', parent = 'nn.SpatialMaxPooling',
  prints = function(self) return ('(%s, %d,%d)'):format(window.describe(self, 2, true), self.dilationW, self.dilationH) end,
  samples = { { 'SpatialDilatedMaxPooling(2, 2, 1, 1, 1, 0, 2, 3)', { 2, 2, 5, 6 }, rows = true } },
}

--- Like nn.SpatialMaxPooling, with gaps between the elements.
-- @tparam int kW width of the window
-- @tparam int kH its height
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
-- @tparam[opt=0] int padW padding, at most half of kW; it is never the maximum
-- @tparam[opt=0] int padH likewise
-- @tparam[opt=1] int dilationW distance of a window's elements in x
-- @tparam[opt=1] int dilationH distance in y
function SpatialDilatedMaxPooling:__init(kW, kH, dW, dH, padW, padH, dilationW, dilationH)
  parent.__init(self, kW, kH, dW, dH, padW, padH)
  window.set(self, 'dilation', 1, dilationW or 1, dilationH or 1)
end

return SpatialDilatedMaxPooling
