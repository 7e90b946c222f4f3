--- The maximum of each of several overlapping windows at pseudo-random positions in an image (see nn.support.fractional).
-- Shapes: x (C, H, W) -> (C, outH, outW), or (C, floor(H ratioH), floor(W ratioW)), or both with leading N.
-- Source: Graham (2014), "Fractional Max-Pooling", arXiv:1412.6071.
-- @classmod nn.SpatialFractionalMaxPooling
local nn, window, fractional = require 'nn', require 'nn.support.window', require 'nn.support.fractional'

local SpatialFractionalMaxPooling, parent = nn.declare {
  name = 'nn.SpatialFractionalMaxPooling', once = true,
  widens = false,
  compute = function(self, input)
    window.expectImages(self, input, 2)
    return fractional.compute(self, input, { 'H', 'W' })
  end,
  transient = { 'indices' },
  prints = function(self)
    return ('(%sx%s, %d,%d)'):format(self.outW or self.ratioW, self.outH or self.ratioH, self.poolSizeW, self.poolSizeH)
  end,
}

--- @tparam int poolSizeW width of the windows, 2 or more
-- @tparam int poolSizeH their height
-- @tparam number outW columns of the output, or a fraction of the input's, between 0 and 1
-- @tparam number outH rows likewise
function SpatialFractionalMaxPooling:__init(poolSizeW, poolSizeH, outW, outH)
  parent.__init(self)
  fractional.init(self, { 'W', 'H' }, { poolSizeW, poolSizeH }, { outW, outH })
end

--- Reuses the present windows from now on, unless `val` is false.
-- @treturn nn.SpatialFractionalMaxPooling self
SpatialFractionalMaxPooling.fixPoolingRegions = fractional.fixPoolingRegions

--- Also frees indices and random numbers.
function SpatialFractionalMaxPooling:clearState()
  nn.utils.clear(self, 'indices', 'randomSamples')
  self.randomSamples = nil
  return parent.clearState(self)
end

--- Old programs' name for clearState.
SpatialFractionalMaxPooling.empty = window.empty

return SpatialFractionalMaxPooling
