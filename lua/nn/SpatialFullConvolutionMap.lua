--- Transposed convolution with a table of the input planes that are connected to each output plane.
-- Shapes: x (nIn, H, W) -> (nOut, (H - 1) dH + kH, likewise W), or both with leading N; weight (connections, kH, kW).
-- @classmod nn.SpatialFullConvolutionMap
local torch = require 'torch'
local window, connections = require 'nn.support.window', require 'nn.support.connections'

--- Has the arguments of nn.SpatialConvolutionMap.
-- @function __init
return connections.class('nn.SpatialFullConvolutionMap', function(self, input)
  window.expectImages(self, input, 2)
  return torch.convTranspose2d(input, connections.dense(self, true), self.bias, self.dH, self.dW)
end, { { 'SpatialFullConvolutionMap(torch.Tensor { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 1, 3 } }, 2, 3, 2)', { 2, 2, 3, 4 }, rows = true } })
