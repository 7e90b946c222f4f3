--- The mean of each window of a volume.
-- Shapes: x (C, T, H, W) -> (C, floor((T - kT) / dT) + 1, likewise H and W), or both with leading N.
-- @classmod nn.VolumetricAveragePooling
local torch, nn = require 'torch', require 'nn'
local window = require 'nn.support.window'

local VolumetricAveragePooling, parent = nn.declare {
  name = 'nn.VolumetricAveragePooling',
  compute = function(self, input)
    window.expectRoom(self, input, 3)
    return torch.avgPool3d(input, self.kT, self.kH, self.kW, self.dT, self.dH, self.dW)
  end,
  prints = function(self) return ('(%s)'):format(window.describe(self, 3, true)) end,
  samples = { { 'VolumetricAveragePooling(2, 1, 2)', { 2, 1, 4, 5, 4 }, rows = true } },
}

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

--- The name that old programs have for clearState.
VolumetricAveragePooling.empty = window.empty

return VolumetricAveragePooling
