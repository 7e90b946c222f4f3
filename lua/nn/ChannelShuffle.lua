--- Mixes groups of channels: the first channels of all groups, then the second ones, and so on.
-- Source: Zhang et al. (2018), "ShuffleNet: An Extremely Efficient Convolutional Neural Network for Mobile Devices", CVPR.
-- Shapes, unchanged: x (N, C, …), C a multiple of the groups.
-- @classmod nn.ChannelShuffle

--- @function __init
-- @tparam int groups
local ChannelShuffle = require 'nn.support.layer' {
  name = 'nn.ChannelShuffle', call = 'channelShuffle', widens = false,
  prints = function(self) return ('(%d)'):format(self.groups) end,
  samples = { { 'ChannelShuffle(2)', { 2, 6, 3 } } },
}
ChannelShuffle.__givesWay = true      -- Torch7 lacks it

return ChannelShuffle
