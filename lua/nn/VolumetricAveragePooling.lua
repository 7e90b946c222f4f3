--- The mean of each window of a volume.
-- Shapes: x (C, T, H, W) -> (C, floor((T - kT) / dT) + 1, likewise H and W), or both with leading N.
-- @classmod nn.VolumetricAveragePooling
local torch = require 'torch'
require 'nn'
local window = require 'nn.support.window'

local VolumetricAveragePooling, parent = torch.class('nn.VolumetricAveragePooling', 'nn.Module')

--- @tparam int kT depth of the window
-- @tparam int kW width
-- @tparam int kH height
-- @tparam[opt=kT] int dT step in depth
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
function VolumetricAveragePooling:__init(kT, kW, kH, dT, dW, dH)
  parent.__init(self)
  window.keep(self, 'k', kT, kW, kH)
  window.keep(self, 'd', dT or kT, dW or kW, dH or kH)
end

function VolumetricAveragePooling:compute(input)
  window.expectRoom(self, input, 3)
  return torch.avgPool3d(input, self.kT, self.kH, self.kW, self.dT, self.dH, self.dW)
end

function VolumetricAveragePooling:__tostring__()
  return ('%s(%s)'):format(torch.type(self), window.describe(self, 3, true))
end

--- The name that old programs have for clearState.
VolumetricAveragePooling.empty = window.empty

return VolumetricAveragePooling
