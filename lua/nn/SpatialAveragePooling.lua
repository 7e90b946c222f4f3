--- The mean of each window of a picture.
-- Shapes: x (C, H, W) -> (C, round((H + 2 padH - kH) / dH) + 1, likewise W), or both with leading N; rounding is down, or
-- up after `ceil()`.
-- @classmod nn.SpatialAveragePooling
local torch = require 'torch'
require 'nn'
local window = require 'nn.support.window'

local SpatialAveragePooling, parent = torch.class('nn.SpatialAveragePooling', 'nn.Module')

--- @tparam int kW width of the window
-- @tparam int kH its height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padW zeros around, at most half of kW
-- @tparam[opt=0] int padH likewise
function SpatialAveragePooling:__init(kW, kH, dW, dH, padW, padH)
  parent.__init(self)
  window.keep(self, 'k', kW, kH)
  window.keep(self, 'd', dW or 1, dH or 1)
  window.keep(self, 'pad', padW or 0, padH or 0)
  self.ceil_mode, self.count_include_pad, self.divide = false, true, true
end

--- Rounds output sizes up from now on.
-- @treturn nn.SpatialAveragePooling self
SpatialAveragePooling.ceil = window.ceil

--- Rounds output sizes down from now on.
-- @treturn nn.SpatialAveragePooling self
SpatialAveragePooling.floor = window.floor

--- Counts padding as elements from now on, which is the default.
-- @treturn nn.SpatialAveragePooling self
function SpatialAveragePooling:setCountIncludePad()
  self.count_include_pad = true
  return self
end

--- Takes means over what is on the picture alone from now on.
-- @treturn nn.SpatialAveragePooling self
function SpatialAveragePooling:setCountExcludePad()
  self.count_include_pad = false
  return self
end

-- Files of old versions lack the later fields. Without `divide` the mean is multiplied by the window's size.
function SpatialAveragePooling:compute(input)
  local done, mean = pcall(torch.avgPool2d, input, self.kH, self.kW, self.dH, self.dW, self.padH, self.padW, self.ceil_mode,
    self.count_include_pad ~= false)
  if not done then
    window.expectHalf(self, 2)
    window.explain(self, mean, input, 2, nil, self.ceil_mode)
  end
  return self.divide == false and torch.mul(mean, self.kW * self.kH) or mean
end
SpatialAveragePooling.letsGo = SpatialAveragePooling.compute

function SpatialAveragePooling:__tostring__()
  return ('%s(%s)'):format(torch.type(self), window.describe(self, 2, true))
end

return SpatialAveragePooling
