--- Convolution with a table of the input planes that are connected to each output plane.
-- Shapes: x (nIn, H, W) -> (nOut, floor((H - kH) / dH) + 1, likewise W), or both with leading N; weight (connections, kH, kW).
-- Source: LeCun et al. (1998), "Gradient-Based Learning Applied to Document Recognition", Proc. IEEE 86(11), section II.B.
-- @classmod nn.SpatialConvolutionMap
local torch = require 'torch'
local window, connections = require 'nn.support.window', require 'nn.support.connections'

--- @function __init
-- @tparam torch.Tensor connTable (n, 2): pairs of input and output plane
-- @tparam int kW width of the kernels
-- @tparam int kH their height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
return connections.class('nn.SpatialConvolutionMap', function(self, input)
  window.expectRoom(self, input, 2, self.nInputPlane)
  return torch.conv2d(input, connections.dense(self, false), self.bias, self.dH, self.dW)
end, { { 'SpatialConvolutionMap(torch.Tensor { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 1, 3 } }, 2, 3, 2)', { 2, 2, 4, 5 }, rows = true } })
