--- Transposed convolution in which a table says which input planes each output plane sees.
-- Shapes: x (nIn, H, W) -> (nOut, (H - 1) dH + kH, likewise W), or both with leading N; weight (connections, kH, kW).
-- @classmod nn.SpatialFullConvolutionMap
local torch = require 'torch'
local nn, window = require 'nn', require 'nn.window'
local connections = require 'nn.connections'

local SpatialFullConvolutionMap, parent = torch.class('nn.SpatialFullConvolutionMap', 'nn.Module')

--- The same arguments as nn.SpatialConvolutionMap's.
function SpatialFullConvolutionMap:__init(connTable, kW, kH, dW, dH)
  parent.__init(self)
  connections.init(self, connTable, kW, kH, dW, dH)
end

SpatialFullConvolutionMap.reset = connections.reset
SpatialFullConvolutionMap.decayParameters = connections.decayParameters
SpatialFullConvolutionMap.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters
SpatialFullConvolutionMap.__tostring__ = connections.describe

function SpatialFullConvolutionMap:compute(input)
  window.expectImages(self, input, 2)
  return torch.convTranspose2d(input, connections.dense(self, true), self.bias, self.dH, self.dW)
end

return SpatialFullConvolutionMap
