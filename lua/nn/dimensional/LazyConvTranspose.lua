--- Transposed convolutions whose number of input channels the first input determines: nn.LazyConvTranspose1d, nn.LazyConvTranspose2d,
-- nn.LazyConvTranspose3d. Arguments are those of nn.ConvTranspose1d etc. without inChannels. The first forward makes the module such a
-- convolution.
-- @module nn.dimensional.LazyConvTranspose
local convolution, lazy = require 'nn.support.convolution', require 'nn.support.lazy'

return function(dims)
  return lazy(('nn.LazyConvTranspose%dd'):format(dims), ('nn.ConvTranspose%dd'):format(dims), 'inChannels', convolution.channels(dims))
end
