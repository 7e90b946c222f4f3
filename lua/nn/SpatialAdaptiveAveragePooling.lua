--- The means of a fixed number of bins of an image of any size.
-- Bin i of n, along an axis of size s, extends from floor((i - 1) s / n) + 1 to ceil(i s / n).
-- Shapes: x (C, h, w) -> (C, H, W), or both with leading N.
-- @classmod nn.SpatialAdaptiveAveragePooling
local check, nn = require 'torch.check', require 'nn'
local window, resample = require 'nn.support.window', require 'nn.support.resample'

local positive = { min = 1 }

local SpatialAdaptiveAveragePooling, parent = nn.declare {
  name = 'nn.SpatialAdaptiveAveragePooling',
  compute = function(self, input)
    window.expectImages(self, input, 2)
    self.W = check.whole('nn.SpatialAdaptiveAveragePooling', 'W', self.W, positive)
    self.H = check.whole('nn.SpatialAdaptiveAveragePooling', 'H', self.H, positive)
    return resample.meansOfImages(input, self.H, self.W)
  end,
  samples = {
    { 'SpatialAdaptiveAveragePooling(3, 2)', { 2, 2, 5, 7 }, rows = true },
    { 'SpatialAdaptiveAveragePooling(1, 1)', { 2, 2, 5, 7 }, rows = true },
    { 'SpatialAdaptiveAveragePooling(2, 7)', { 2, 2, 5, 6 }, rows = true },
    { 'SpatialAdaptiveAveragePooling(2, 3)', { 2, 2, 6, 4 }, rows = true },
  },
}

--- @tparam int W columns of the output
-- @tparam int H rows of the output
function SpatialAdaptiveAveragePooling:__init(W, H)
  parent.__init(self)
  self.W, self.H = window.whole(self, 'W', W), window.whole(self, 'H', H)
end

--- Old programs' name for clearState.
SpatialAdaptiveAveragePooling.empty = window.empty

return SpatialAdaptiveAveragePooling
