--- The mean of each window of a volume.
-- Shapes: x (C, T, H, W) -> (C, round((T + 2 padT - kT) / dT) + 1, likewise H and W), or both with leading N; rounding is down, or up
-- after `ceil()`.
-- @classmod nn.VolumetricAveragePooling
local torch, nn = require 'torch', require 'nn'
local window = require 'nn.support.window'

local VolumetricAveragePooling, parent = nn.declare {
  name = 'nn.VolumetricAveragePooling',
  compute = function(self, input)
    window.expectHalf(self, 3)
    window.expectRoom(self, input, 3, nil, self.ceil_mode)
    return torch.avgPool3d(input, self.kT, self.kH, self.kW, self.dT, self.dH, self.dW, self.padT or 0, self.padH or 0, self.padW or 0,
      self.ceil_mode or false, self.count_include_pad ~= false)
  end,
  prints = function(self) return ('(%s)'):format(window.describe(self, 3, true)) end,
  samples = {
    { 'VolumetricAveragePooling(2, 1, 2)', { 2, 1, 4, 5, 4 }, rows = true },
    { 'VolumetricAveragePooling(3, 2, 2, 2, 2, 1, 1, 1, 0):ceil()', { 2, 1, 4, 3, 4 }, rows = true },
    { 'VolumetricAveragePooling(3, 4, 3, 2, 3, 2):ceil()', { 1, 2, 2, 2, 2 } },
    { 'VolumetricAveragePooling(3, 2, 2, 2, 2, 1, 1, 1, 1):setCountExcludePad()', { 2, 1, 4, 3, 4 }, rows = true },
  },
}

--- @tparam int kT depth of the window
-- @tparam int kW width
-- @tparam int kH height
-- @tparam[opt=kT] int dT step in depth
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
-- @tparam[opt=0] int padT zeros around, at most half of kT
-- @tparam[opt=0] int padW likewise
-- @tparam[opt=0] int padH likewise
function VolumetricAveragePooling:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH)
  parent.__init(self)
  window.keep(self, 'k', kT, kW, kH)
  window.keep(self, 'd', dT or kT, dW or kW, dH or kH)
  window.keep(self, 'pad', padT or 0, padW or 0, padH or 0)
  self.ceil_mode, self.count_include_pad = false, true
end

--- Rounds output sizes up from now on.
-- @treturn nn.VolumetricAveragePooling self
VolumetricAveragePooling.ceil = window.ceil

--- Rounds output sizes down from now on.
-- @treturn nn.VolumetricAveragePooling self
VolumetricAveragePooling.floor = window.floor

--- Counts padding as elements from now on, which is the default.
-- @treturn nn.VolumetricAveragePooling self
VolumetricAveragePooling.setCountIncludePad = window.setCountIncludePad

--- From now on, means are over elements of the volume only.
-- @treturn nn.VolumetricAveragePooling self
VolumetricAveragePooling.setCountExcludePad = window.setCountExcludePad

--- Old programs' name for clearState.
VolumetricAveragePooling.empty = window.empty

return VolumetricAveragePooling
