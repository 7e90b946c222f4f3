--- nn.SpatialMaxPooling over windows whose elements stand apart.
-- @classmod nn.SpatialDilatedMaxPooling
local torch = require 'torch'
require 'nn'
local window = require 'nn.support.window'

local SpatialDilatedMaxPooling, parent = torch.class('nn.SpatialDilatedMaxPooling', 'nn.SpatialMaxPooling')

--- As nn.SpatialMaxPooling, with room between the elements.
-- @tparam int kW width of the window
-- @tparam int kH its height
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
-- @tparam[opt=0] int padW padding, at most half of kW; it never is the largest
-- @tparam[opt=0] int padH likewise
-- @tparam[opt=1] int dilationW distance of a window's elements in x
-- @tparam[opt=1] int dilationH distance in y
function SpatialDilatedMaxPooling:__init(kW, kH, dW, dH, padW, padH, dilationW, dilationH)
  parent.__init(self, kW, kH, dW, dH, padW, padH)
  window.set(self, 'dilation', 1, dilationW or 1, dilationH or 1)
end

--- As nn.SpatialMaxPooling's, and the dilation.
function SpatialDilatedMaxPooling:__tostring__()
  return ('%s, %d,%d)'):format(parent.__tostring__(self):sub(1, -2), self.dilationW, self.dilationH)
end

return SpatialDilatedMaxPooling
