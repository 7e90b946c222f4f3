--- nn.VolumetricMaxPooling over windows whose elements stand apart.
-- @classmod nn.VolumetricDilatedMaxPooling
local torch = require 'torch'
require 'nn'
local window = require 'nn.support.window'

local VolumetricDilatedMaxPooling, parent = torch.class('nn.VolumetricDilatedMaxPooling', 'nn.VolumetricMaxPooling')

--- As nn.VolumetricMaxPooling, with room between the elements.
-- @tparam int kT depth of the window
-- @tparam int kW width
-- @tparam int kH height
-- @tparam[opt=kT] int dT step in depth
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
-- @tparam[opt=0] int padT padding, at most half of kT; it never is the largest
-- @tparam[opt=0] int padW likewise
-- @tparam[opt=0] int padH likewise
-- @tparam[opt=1] int dilationT distance of a window's elements in depth
-- @tparam[opt=1] int dilationW distance in x
-- @tparam[opt=1] int dilationH distance in y
function VolumetricDilatedMaxPooling:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH)
  parent.__init(self, kT, kW, kH, dT, dW, dH, padT, padW, padH)
  window.set(self, 'dilation', 1, dilationT or 1, dilationW or 1, dilationH or 1)
end

--- As nn.VolumetricMaxPooling's, and the dilation.
function VolumetricDilatedMaxPooling:__tostring__()
  return ('%s, %d,%d,%d)'):format(parent.__tostring__(self):sub(1, -2), self.dilationT, self.dilationW, self.dilationH)
end

return VolumetricDilatedMaxPooling
