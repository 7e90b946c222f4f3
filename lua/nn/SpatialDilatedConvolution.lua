--- nn.SpatialConvolution whose filters' elements stand apart: as wide as dilation (k - 1) + 1.
-- @classmod nn.SpatialDilatedConvolution
local torch = require 'torch'
require 'nn'
local window = require 'nn.window'

local SpatialDilatedConvolution, parent = torch.class('nn.SpatialDilatedConvolution', 'nn.SpatialConvolution')

--- The first arguments are nn.SpatialConvolution's.
-- @tparam[opt=1] int dilationW distance of a filter's elements in x
-- @tparam[opt=1] int dilationH distance in y
function SpatialDilatedConvolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, dilationW, dilationH)
  parent.__init(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
  window.set(self, 'dilation', 1, dilationW or 1, dilationH or 1)
end

--- As nn.SpatialConvolution's, and the dilation.
function SpatialDilatedConvolution:__tostring__()
  local text, bias = parent.__tostring__(self):match '^(.*)%)(.*)$'
  return ('%s, %d,%d)%s'):format(text, self.dilationW, self.dilationH, bias)
end

return SpatialDilatedConvolution
