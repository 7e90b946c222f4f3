--- Convolution in which a table says which input planes each output plane sees.
-- Shapes: x (nIn, H, W) -> (nOut, floor((H - kH) / dH) + 1, likewise W), or both with leading N; weight (connections, kH, kW).
-- @classmod nn.SpatialConvolutionMap
local torch = require 'torch'
local nn, window = require 'nn', require 'nn.window'
local connections = require 'nn.connections'

local SpatialConvolutionMap, parent = torch.class('nn.SpatialConvolutionMap', 'nn.Module')

--- @tparam torch.Tensor connTable (n, 2): pairs of input and output plane
-- @tparam int kW width of the kernels
-- @tparam int kH their height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
function SpatialConvolutionMap:__init(connTable, kW, kH, dW, dH)
  parent.__init(self)
  connections.init(self, connTable, kW, kH, dW, dH)
end

SpatialConvolutionMap.reset = connections.reset
SpatialConvolutionMap.decayParameters = connections.decayParameters
SpatialConvolutionMap.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters
SpatialConvolutionMap.__tostring__ = connections.describe

function SpatialConvolutionMap:compute(input)
  window.expectRoom(self, input, 2, self.nInputPlane)
  return torch.conv2d(input, connections.dense(self, false), self.bias, self.dH, self.dW)
end

return SpatialConvolutionMap
