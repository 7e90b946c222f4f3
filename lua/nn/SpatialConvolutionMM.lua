--- nn.SpatialConvolution whose weight is a matrix: a filter a row, nOut x (nIn kH kW).
-- @classmod nn.SpatialConvolutionMM
local torch = require 'torch'
local nn = require 'nn'
local Convolution = nn.SpatialConvolution

local SpatialConvolutionMM = torch.class('nn.SpatialConvolutionMM', 'nn.Module')

--- The same arguments as nn.SpatialConvolution's.
function SpatialConvolutionMM:__init(...)
  Convolution.__init(self, ...)
  for _, name in ipairs { 'weight', 'gradWeight' } do self[name] = self[name]:view(self.nOutputPlane, -1) end
end

for _, name in ipairs { 'noBias', 'reset', 'compute', 'sharedAccUpdateGradParameters', 'transient', '__tostring__' } do
  SpatialConvolutionMM[name] = Convolution[name]
end

return SpatialConvolutionMM
