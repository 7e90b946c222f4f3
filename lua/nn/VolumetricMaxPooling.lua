--- The maximum of each window of a volume.
-- Shapes: x (C, T, H, W) -> (C, round((T + 2 padT - kT) / dT) + 1, likewise H and W), or both with leading N; rounding is down, or up
-- after `ceil()`.
-- @classmod nn.VolumetricMaxPooling
local torch, nn = require 'torch', require 'nn'
local window = require 'nn.support.window'
local packed = require 'nn.support.packed'

local VolumetricMaxPooling, parent = nn.declare {
  name = 'nn.VolumetricMaxPooling',
  widens = false,
  compute = function(self, input)
    window.expectRoom(self, input, 3, nil, self.ceil_mode)
    window.expectHalf(self, 3)
    local dim = input:dim()
    self.itime, self.iheight, self.iwidth = input:size(dim - 2), input:size(dim - 1), input:size(dim)
    local output, positions = torch.maxPool3d(input, self.kT, self.kH, self.kW, self.dT, self.dH, self.dW, self.padT, self.padH, self.padW,
      self.ceil_mode, self.dilationT, self.dilationH, self.dilationW)
    self.indices = packed.pack(self, positions)
    return output
  end,
  transient = { 'indices' },
  prints = function(self) return ('(%s)'):format(window.describe(self, 3, true)) end,
  samples = {
    { 'VolumetricMaxPooling(2, 2, 2)', { 2, 1, 4, 5, 4 }, rows = true },
    { 'VolumetricMaxPooling(3, 2, 2, 2, 1, 1, 1, 1, 0):ceil()', { 2, 1, 4, 5, 4 }, rows = true },
    { 'VolumetricMaxPooling(3, 4, 3, 2, 3, 2):ceil()', { 1, 2, 2, 2, 2 } },
  },
}

VolumetricMaxPooling.__version = 2

--- @tparam int kT depth of the window
-- @tparam int kW width
-- @tparam int kH height
-- @tparam[opt=kT] int dT step in depth
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
-- @tparam[opt=0] int padT padding, at most half of kT; it is never the maximum
-- @tparam[opt=0] int padW likewise
-- @tparam[opt=0] int padH likewise
function VolumetricMaxPooling:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH)
  parent.__init(self)
  window.keep(self, 'k', kT, kW, kH)
  window.keep(self, 'd', dT or kT, dW or kW, dH or kH)
  window.keep(self, 'pad', padT or 0, padW or 0, padH or 0)
  self.ceil_mode = false
  self.indices = torch.LongTensor()
end

--- Rounds output sizes up from now on.
-- @treturn nn.VolumetricMaxPooling self
VolumetricMaxPooling.ceil = window.ceil

--- Rounds output sizes down from now on.
-- @treturn nn.VolumetricMaxPooling self
VolumetricMaxPooling.floor = window.floor

--- Reads a saved module; version 1 has neither padding nor rounding.
function VolumetricMaxPooling:read(file, version)
  parent.read(self, file)
  if version < 2 then
    self.ceil_mode = false
    window.keep(self, 'pad', self.padT or 0, self.padW or 0, self.padH or 0)
  end
end

--- Old programs' name for clearState.
VolumetricMaxPooling.empty = window.empty

return VolumetricMaxPooling
