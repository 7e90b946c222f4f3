--- nn.SpatialConvolution with gaps between the elements of its filters: they are as wide as dilation (k - 1) + 1.
-- Shapes: as for nn.SpatialConvolution, with dilationW (kW - 1) + 1 instead of kW, likewise kH. Source: Yu & Koltun (2016), "Multi-Scale
-- Context Aggregation by Dilated Convolutions", ICLR.
-- @classmod nn.SpatialDilatedConvolution
local window = require 'nn.support.window'

local SpatialDilatedConvolution, parent = require 'nn'.declare {
  name = 'nn.SpatialDilatedConvolution', parent = 'nn.SpatialConvolution',
  prints = function(self) return window.describeConvolution(self, 2, nil, (', %d,%d'):format(self.dilationW, self.dilationH)) end,
  samples = { { 'SpatialDilatedConvolution(2, 3, 2, 2, 1, 2, 1, 0, 2, 3)', { 2, 2, 7, 6 }, rows = true } },
}

--- Like nn.SpatialConvolution, with gaps between the elements.
-- @tparam int nInputPlane channels of the input
-- @tparam int nOutputPlane channels of the output
-- @tparam int kW width of the filters
-- @tparam int kH their height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padW zeros at the left and right
-- @tparam[opt=padW] int padH zeros at the top and bottom
-- @tparam[opt=1] int dilationW distance of a filter's elements in x
-- @tparam[opt=1] int dilationH distance in y
function SpatialDilatedConvolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, dilationW, dilationH)
  parent.__init(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
  window.set(self, 'dilation', 1, dilationW or 1, dilationH or 1)
end

return SpatialDilatedConvolution
