--- Instance normalisation whose number of features the first input determines: nn.LazyInstanceNorm1d, nn.LazyInstanceNorm2d,
-- nn.LazyInstanceNorm3d. Arguments are those of nn.InstanceNorm1d etc. without numFeatures. The first forward makes the module such a
-- normalisation.
-- @module nn.dimensional.LazyInstanceNorm
local convolution, lazy = require 'nn.support.convolution', require 'nn.support.lazy'

return function(dims)
  return lazy(('nn.LazyInstanceNorm%dd'):format(dims), ('nn.InstanceNorm%dd'):format(dims), 'numFeatures', convolution.channels(dims))
end
