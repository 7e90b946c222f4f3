--- The maxima of a fixed number of bins of an image of any size.
-- Bin i of n, along an axis of size s, extends from floor((i - 1) s / n) + 1 to ceil(i s / n).
-- Shapes: x (C, h, w) -> (C, H, W), or both with leading N; `indices` (2, ...) has the columns, then the rows, of the maxima in their
-- bins.
-- @classmod nn.SpatialAdaptiveMaxPooling
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local window, resample = require 'nn.support.window', require 'nn.support.resample'

local positive = { min = 1 }

local SpatialAdaptiveMaxPooling, parent = nn.declare {
  name = 'nn.SpatialAdaptiveMaxPooling',
  widens = false,
  compute = function(self, input)
    window.expectImages(self, input, 2)
    self.W = check.whole('nn.SpatialAdaptiveMaxPooling', 'W', self.W, positive)
    self.H = check.whole('nn.SpatialAdaptiveMaxPooling', 'H', self.H, positive)
    local dim = input:dim()
    local ofRows, columns = resample.maxima(input, dim, self.W)
    local output, rows = resample.maxima(ofRows, dim - 1, self.H)
    self.indices = torch.cat({ torch.unsqueeze(resample.chosen(columns, dim - 1, self.H, rows), 1), torch.unsqueeze(rows, 1) }, 1)
    return output
  end,
  transient = { 'indices' },
  samples = {
    { 'SpatialAdaptiveMaxPooling(3, 2)', { 2, 2, 5, 7 }, rows = true },
    { 'SpatialAdaptiveMaxPooling(2, 7)', { 2, 2, 5, 6 }, rows = true },
  },
}

--- @tparam int W columns of the output
-- @tparam int H rows of the output
function SpatialAdaptiveMaxPooling:__init(W, H)
  parent.__init(self)
  self.W, self.H = window.whole(self, 'W', W), window.whole(self, 'H', H)
  self.indices = torch.LongTensor()
end

-- Of equal values, the one in the first row wins, and in it the one in the first column: rows are reduced first.
--- Old programs' name for clearState.
SpatialAdaptiveMaxPooling.empty = window.empty

return SpatialAdaptiveMaxPooling
