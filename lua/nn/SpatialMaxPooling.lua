--- The maximum of each window of an image.
-- Shapes: x (C, H, W) -> (C, round((H + 2 padH - kH) / dH) + 1, likewise W), or both with leading N; rounding is down, or up after
-- `ceil()`: then the last window, even if it is the only one, may extend beyond the image.
-- @classmod nn.SpatialMaxPooling
local torch = require 'torch'
local window = require 'nn.support.window'

local SpatialMaxPooling, parent = require 'nn'.declare {
  name = 'nn.SpatialMaxPooling',
  prepare = function(self, input)
    window.expectImages(self, input, 2)
    local dim = input:dim()
    self.iheight, self.iwidth = input:size(dim - 1), input:size(dim)
  end,
  formula = 'maxPool2d(input, kH, kW, dH, dW, padH, padW, ceil_mode, dilationH, dilationW)',
  keeps = { 'indices' },
  explain = function(self, message, input)
    window.expectHalf(self, 2)
    window.explain(self, message, input, 2, nil, self.ceil_mode)
  end,
  transient = { 'indices' },
  prints = function(self) return ('(%s)'):format(window.describe(self, 2, true)) end,
  samples = {
    { 'SpatialMaxPooling(2, 2)', { 2, 2, 5, 6 }, rows = true }, { 'SpatialMaxPooling(3, 2, 2, 1, 1, 1)', { 2, 2, 5, 6 }, rows = true },
    { 'SpatialMaxPooling(2, 3):ceil()', { 2, 2, 5, 7 }, rows = true },
    { 'SpatialMaxPooling(4, 3, 3, 2):ceil()', { 2, 2, 2, 2 }, rows = true },
    { 'SpatialMaxPooling(5, 3, 3, 2, 2, 1):ceil()', { 1, 2, 1, 2 } },
  },
}

--- @tparam int kW width of the window
-- @tparam int kH its height
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
-- @tparam[opt=0] int padW padding, at most half of kW; it is never the maximum
-- @tparam[opt=0] int padH likewise
function SpatialMaxPooling:__init(kW, kH, dW, dH, padW, padH)
  parent.__init(self)
  window.keep(self, 'k', kW, kH)
  window.keep(self, 'd', dW or kW, dH or kH)
  window.keep(self, 'pad', padW or 0, padH or 0)
  self.ceil_mode = false
  self.indices = torch.LongTensor()
end

--- Rounds output sizes up from now on.
-- @treturn nn.SpatialMaxPooling self
SpatialMaxPooling.ceil = window.ceil

--- Rounds output sizes down from now on.
-- @treturn nn.SpatialMaxPooling self
SpatialMaxPooling.floor = window.floor

--- Old programs' name for clearState.
SpatialMaxPooling.empty = window.empty

return SpatialMaxPooling
