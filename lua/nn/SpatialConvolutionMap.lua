--- Convolution in which a table says which input planes each output plane sees.
-- Shapes: x (nIn, H, W) -> (nOut, floor((H - kH) / dH) + 1, likewise W), or both with leading N; weight (connections, kH, kW).
-- @classmod nn.SpatialConvolutionMap
local torch = require 'torch'
local window, connections = require 'nn.support.window', require 'nn.support.connections'

--- @tparam torch.Tensor connTable (n, 2): pairs of input and output plane
-- @tparam int kW width of the kernels
-- @tparam int kH their height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
local SpatialConvolutionMap = connections.class 'nn.SpatialConvolutionMap'

function SpatialConvolutionMap:compute(input)
  window.expectRoom(self, input, 2, self.nInputPlane)
  return torch.conv2d(input, connections.dense(self, false), self.bias, self.dH, self.dW)
end

return SpatialConvolutionMap
