--- Dropout of whole channels with PyTorch's names: nn.Dropout1d, nn.Dropout2d, nn.Dropout3d.
-- In training each channel of each sample becomes zero with probability p (0.5); the others are scaled by 1 / (1 - p).
-- Source: Tompson et al. (2015), "Efficient Object Localization Using Convolutional Networks", CVPR, section 3.2.
-- Shapes: x (N, C, L), (N, C, H, W), (N, C, T, H, W), or without N, kept.
-- @module nn.dimensional.Dropout
local channelDropout = require 'nn.support.channelDropout'

local function scale(p) return p == 1 and 0 or 1 / (1 - p), 0 end

return function(dims) return channelDropout(('nn.Dropout%dd'):format(dims), 'mul(cmul(input, noise), a)', scale, dims) end
