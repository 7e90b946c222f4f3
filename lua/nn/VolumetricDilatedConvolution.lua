--- nn.VolumetricConvolution with gaps between the elements of its filters: they are as wide as dilation (k - 1) + 1.
-- Shapes: as for nn.VolumetricConvolution, with dilationT (kT - 1) + 1 instead of kT, likewise kW and kH.
-- @classmod nn.VolumetricDilatedConvolution
local nn, window = require 'nn', require 'nn.support.window'

local VolumetricDilatedConvolution, parent = nn.declare {
  name = 'nn.VolumetricDilatedConvolution', parent = 'nn.VolumetricConvolution',
  prints = function(self)
    return window.describeConvolution(self, 3, nil, (', %d,%d,%d'):format(self.dilationT, self.dilationW, self.dilationH))
  end,
  samples = { { 'VolumetricDilatedConvolution(2, 1, 2, 2, 2, 1, 1, 1, 1, 0, 0, 2, 1, 2)', { 2, 2, 4, 4, 3 }, rows = true } },
}

--- Like nn.VolumetricConvolution, with gaps between the elements.
-- @tparam int nInputPlane channels of the input
-- @tparam int nOutputPlane channels of the output
-- @tparam int kT depth of the filters
-- @tparam int kW width
-- @tparam int kH height
-- @tparam[opt=1] int dT step in depth
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padT zeros before and behind
-- @tparam[opt=padT] int padW zeros at the left and right
-- @tparam[opt=padW] int padH zeros at the top and bottom
-- @tparam[opt=1] int dilationT distance of a filter's elements in depth
-- @tparam[opt=1] int dilationW distance in x
-- @tparam[opt=1] int dilationH distance in y
function VolumetricDilatedConvolution:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW,
                                             dilationH)
  parent.__init(self, nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
  window.set(self, 'dilation', 1, dilationT or 1, dilationW or 1, dilationH or 1)
end

return VolumetricDilatedConvolution
