--- Rearranges groups of channels to squares of pixels: channel c r^2 + i r + j (from 0) becomes row i and column j of channel c's squares.
-- Source: Shi et al. (2016), "Real-Time Single Image and Video Super-Resolution Using an Efficient Sub-Pixel CNN", CVPR.
-- Shapes: x (C r^2, H, W) -> (C, r H, r W), or both with leading N.
-- @classmod nn.PixelShuffle
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local window = require 'nn.support.window'
local refuse = require 'torch.check.refuse'

local PixelShuffle, parent = nn.declare {
  name = 'nn.PixelShuffle',
  widens = false,
  compute = function(self, input)
    window.expectImages(self, input, 2)
    local single, r = input:dim() == 3, self.upscaleFactor
    local first = input:dim() - 2
    local channels, height, width = input:size(first), input:size(first + 1), input:size(first + 2)
    if channels % (r * r) ~= 0 then
      refuse.shape(('nn.PixelShuffle: input: %d channels, expected a multiple of %d'):format(channels, r * r))
    end
    local batch, planes = single and 1 or input:size(1), channels / (r * r)
    local squares = torch.permute(torch.reshape(input, { batch, planes, r, r, height, width }), 1, 2, 5, 3, 6, 4)
    local size = { planes, r * height, r * width }
    if not single then table.insert(size, 1, batch) end
    return torch.reshape(squares, size)
  end,
  samples = { { 'PixelShuffle(2)', { 2, 8, 2, 3 }, rows = true } },
}

--- @tparam int upscaleFactor r, side of the squares
function PixelShuffle:__init(upscaleFactor)
  parent.__init(self)
  self.upscaleFactor = check.int('nn.PixelShuffle', 'upscaleFactor', upscaleFactor, { min = 1 })
end

return PixelShuffle
