--- nn.VolumetricMaxPooling over windows with gaps between their elements.
-- Shapes: as for nn.VolumetricMaxPooling, with dilationT (kT - 1) + 1 instead of kT, likewise kW and kH.
-- @classmod nn.VolumetricDilatedMaxPooling
local nn, window = require 'nn', require 'nn.support.window'

local VolumetricDilatedMaxPooling, parent = nn.declare {
  name = 'nn.VolumetricDilatedMaxPooling', parent = 'nn.VolumetricMaxPooling',
  prints = function(self)
    return ('(%s, %d,%d,%d)'):format(window.describe(self, 3, true), self.dilationT, self.dilationW, self.dilationH)
  end,
  samples = { { 'VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 1, 3)', { 2, 1, 4, 4, 4 }, rows = true } },
}

--- Like nn.VolumetricMaxPooling, with gaps between the elements.
-- @tparam int kT depth of the window
-- @tparam int kW width
-- @tparam int kH height
-- @tparam[opt=kT] int dT step in depth
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
-- @tparam[opt=0] int padT padding, at most half of kT; it is never the maximum
-- @tparam[opt=0] int padW likewise
-- @tparam[opt=0] int padH likewise
-- @tparam[opt=1] int dilationT distance of a window's elements in depth
-- @tparam[opt=1] int dilationW distance in x
-- @tparam[opt=1] int dilationH distance in y
function VolumetricDilatedMaxPooling:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH)
  parent.__init(self, kT, kW, kH, dT, dW, dH, padT, padW, padH)
  window.set(self, 'dilation', 1, dilationT or 1, dilationW or 1, dilationH or 1)
end

return VolumetricDilatedMaxPooling
