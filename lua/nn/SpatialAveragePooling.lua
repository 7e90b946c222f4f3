--- The mean of each window of an image.
-- Shapes: x (C, H, W) -> (C, round((H + 2 padH - kH) / dH) + 1, likewise W), or both with leading N; rounding is down, or
-- up after `ceil()`.
-- @classmod nn.SpatialAveragePooling
local window = require 'nn.support.window'

local mean = 'avgPool2d(input, kH, kW, dH, dW, padH, padW, ceil_mode, count_include_pad)'

-- Files of old versions lack the newer fields. Without `divide`, the mean is multiplied by the window's size.
local SpatialAveragePooling, parent = require 'nn'.declare {
  name = 'nn.SpatialAveragePooling',
  values = { 'area' },
  formula = function(self)
    if self.divide == false then return ('mul(%s, area)'):format(mean), self.kW * self.kH end
    return mean
  end,
  explain = function(self, message, input)
    window.expectHalf(self, 2)
    window.explain(self, message, input, 2, nil, self.ceil_mode)
  end,
  prints = function(self) return ('(%s)'):format(window.describe(self, 2, true)) end,
  samples = {
    { 'SpatialAveragePooling(3, 2)', { 2, 2, 5, 6 }, rows = true },
    { 'SpatialAveragePooling(3, 2, 2, 2, 1, 1):ceil()', { 2, 2, 5, 6 }, rows = true },
    { 'SpatialAveragePooling(4, 3, 3, 2):ceil()', { 2, 2, 2, 2 }, rows = true },
    { 'SpatialAveragePooling(3, 2, 2, 1, 1):setCountExcludePad()', { 2, 2, 5, 6 }, rows = true },
  },
}

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
SpatialAveragePooling.setCountIncludePad = window.setCountIncludePad

--- From now on, means are over elements of the image only.
-- @treturn nn.SpatialAveragePooling self
SpatialAveragePooling.setCountExcludePad = window.setCountExcludePad

return SpatialAveragePooling
