--- nn.VolumetricConvolution whose filters' elements stand apart: as wide as dilation (k - 1) + 1.
-- @classmod nn.VolumetricDilatedConvolution
local torch = require 'torch'
require 'nn'
local window = require 'nn.support.window'

local VolumetricDilatedConvolution, parent = torch.class('nn.VolumetricDilatedConvolution', 'nn.VolumetricConvolution')

--- As nn.VolumetricConvolution, with room between the elements.
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

--- As nn.VolumetricConvolution's, and the dilation.
function VolumetricDilatedConvolution:__tostring__()
  local text, bias = parent.__tostring__(self):match '^(.*)%)(.*)$'
  return ('%s, %d,%d,%d)%s'):format(text, self.dilationT, self.dilationW, self.dilationH, bias)
end

return VolumetricDilatedConvolution
