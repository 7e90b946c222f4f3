--- Rearranges squares of pixels to channels: the inverse of nn.PixelShuffle.
-- Shapes: x (…, C, r H, r W) -> (…, C r^2, H, W).
-- @classmod nn.PixelUnshuffle

--- @function __init
-- @tparam int downscaleFactor r, side of the squares
local PixelUnshuffle = require 'nn.support.layer' {
  name = 'nn.PixelUnshuffle', call = 'pixelUnshuffle', widens = false,
  prints = function(self) return ('(%d)'):format(self.downscaleFactor) end,
  samples = { { 'PixelUnshuffle(2)', { 2, 3, 4, 6 }, rows = true } },
}
PixelUnshuffle.__givesWay = true      -- Torch7 lacks it

return PixelUnshuffle
