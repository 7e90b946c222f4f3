--- The maximum of each of several overlapping windows at pseudo-random positions in a volume (see nn.support.fractional).
-- Shapes: x (C, H, W, T) -> (C, outH, outW, outT), or sizes by the ratios, or both with leading N: T is last, unlike in the other modules
-- of volumes.
-- Source: Graham (2014), "Fractional Max-Pooling", arXiv:1412.6071.
-- @classmod nn.VolumetricFractionalMaxPooling
local nn, window, fractional = require 'nn', require 'nn.support.window', require 'nn.support.fractional'

local VolumetricFractionalMaxPooling, parent = nn.declare {
  name = 'nn.VolumetricFractionalMaxPooling', once = true,
  widens = false,
  compute = function(self, input)
    window.expectImages(self, input, 3)
    return fractional.compute(self, input, { 'H', 'W', 'T' })
  end,
  transient = { 'indices' },
  prints = function(self)
    return ('(%sx%sx%s, %d,%d,%d)'):format(self.outT or self.ratioT, self.outW or self.ratioW,
      self.outH or self.ratioH, self.poolSizeT, self.poolSizeW, self.poolSizeH)
  end,
}

--- @tparam int poolSizeT depth of the windows, 2 or more
-- @tparam int poolSizeW their width
-- @tparam int poolSizeH their height
-- @tparam number outT slices of the output, or a fraction of the input's, between 0 and 1
-- @tparam number outW columns likewise
-- @tparam number outH rows likewise
function VolumetricFractionalMaxPooling:__init(poolSizeT, poolSizeW, poolSizeH, outT, outW, outH)
  parent.__init(self)
  fractional.init(self, { 'T', 'W', 'H' }, { poolSizeT, poolSizeW, poolSizeH }, { outT, outW, outH })
end

--- Reuses the present windows from now on, unless `val` is false.
-- @treturn nn.VolumetricFractionalMaxPooling self
VolumetricFractionalMaxPooling.fixPoolingRegions = fractional.fixPoolingRegions

VolumetricFractionalMaxPooling.clearState = nn.SpatialFractionalMaxPooling.clearState

--- Old programs' name for clearState.
VolumetricFractionalMaxPooling.empty = window.empty

return VolumetricFractionalMaxPooling
