--- Rearranges groups of channels to squares of pixels: channel c r^2 + i r + j (from 0) becomes row i and column j of channel c's squares.
-- Source: Shi et al. (2016), "Real-Time Single Image and Video Super-Resolution Using an Efficient Sub-Pixel CNN", CVPR.
-- Shapes: x (…, C r^2, H, W) -> (…, C, r H, r W).
-- @classmod nn.PixelShuffle
local check, nn, pixels = require 'torch.check', require 'nn', require 'nn.support.pixels'

local PixelShuffle, parent = nn.declare {
  name = 'nn.PixelShuffle',
  widens = false,
  compute = function(self, input) return pixels.shuffle('nn.PixelShuffle', input, self.upscaleFactor) end,
  samples = { { 'PixelShuffle(2)', { 2, 8, 2, 3 }, rows = true } },
}

--- @tparam int upscaleFactor r, side of the squares
function PixelShuffle:__init(upscaleFactor)
  parent.__init(self)
  self.upscaleFactor = check.int('nn.PixelShuffle', 'upscaleFactor', upscaleFactor, { min = 1 })
end

return PixelShuffle
