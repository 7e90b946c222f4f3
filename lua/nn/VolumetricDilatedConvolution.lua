--- nn.VolumetricConvolution whose filters' elements stand apart: as wide as dilation (k - 1) + 1.
-- @classmod nn.VolumetricDilatedConvolution
local torch = require 'torch'
require 'nn'
local window = require 'nn.window'

local VolumetricDilatedConvolution, parent = torch.class('nn.VolumetricDilatedConvolution', 'nn.VolumetricConvolution')

--- The first arguments are nn.VolumetricConvolution's.
-- @tparam[opt=1] int dilationT distance of a filter's elements in depth
-- @tparam[opt=1] int dilationW distance in x
-- @tparam[opt=1] int dilationH distance in y
function VolumetricDilatedConvolution:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW,
                                             dilationH)
  parent.__init(self, nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
  window.set(self, 'dilation', 1, dilationT or 1, dilationW or 1, dilationH or 1)
end

--- As nn.VolumetricConvolution's, and the dilation.
function VolumetricDilatedConvolution:__tostring__()
  local text, bias = parent.__tostring__(self):match '^(.*)%)(.*)$'
  return ('%s, %d,%d,%d)%s'):format(text, self.dilationT, self.dilationW, self.dilationH, bias)
end

return VolumetricDilatedConvolution
