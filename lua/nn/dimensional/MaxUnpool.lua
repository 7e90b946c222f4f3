--- Values at the positions that a max-pooling with returnIndices found, and zeros elsewhere: nn.MaxUnpool1d, nn.MaxUnpool2d,
-- nn.MaxUnpool3d. The input is {x, positions}. Each size L becomes (L - 1) stride - 2 padding + kernelSize, or that in the list of sizes
-- after the input in a call, `module({ x, positions }, outputSize)`.
-- Source: Zeiler & Fergus (2014), "Visualizing and Understanding Convolutional Networks", ECCV.
-- @module nn.dimensional.MaxUnpool
local layer, sized = require 'nn.support.layer', require 'nn.support.sized'

return function(dims)
  local class, parent = layer {
    name = ('nn.MaxUnpool%dd'):format(dims), call = ('maxUnpool%dd'):format(dims), inputs = 2, widens = false,
    prints = require 'nn.support.window_text',
  }
  class.__call__ = sized(parent, 'outputSize', function(_, _, outputSize) return outputSize end)
  return class
end
