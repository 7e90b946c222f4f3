--- Convolutions whose number of input channels the first input determines: nn.LazyConv1d, nn.LazyConv2d, nn.LazyConv3d.
-- Arguments are those of nn.Conv1d etc. without inChannels. The first forward makes the module such a convolution.
-- @module nn.dimensional.LazyConv
local convolution, lazy = require 'nn.support.convolution', require 'nn.support.lazy'

return function(dims)
  return lazy(('nn.LazyConv%dd'):format(dims), ('nn.Conv%dd'):format(dims), 'inChannels', convolution.channels(dims))
end
