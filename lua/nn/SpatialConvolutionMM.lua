--- nn.SpatialConvolution whose weight is a matrix with one filter per row, nOut x (nIn kH kW).
-- y[o] = b[o] + sum over i of x[i] (*) w[o][i]. Shapes: as for nn.SpatialConvolution.
-- @classmod nn.SpatialConvolutionMM
local nn = require 'nn'
local Convolution = nn.SpatialConvolution
local same = Convolution.declaration

local SpatialConvolutionMM = nn.declare {
  name = 'nn.SpatialConvolutionMM',
  parameters = same.parameters, values = same.values, formula = same.formula, explain = same.explain, transient = same.transient,
  prints = same.prints,
  samples = { { 'SpatialConvolutionMM(2, 3, 3, 2, 1, 2, 1, 0)', { 2, 2, 5, 6 }, rows = true } },
}

--- Has the arguments of nn.SpatialConvolution.
function SpatialConvolutionMM:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
  Convolution.__init(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
  for _, name in ipairs { 'weight', 'gradWeight' } do self[name] = self[name]:view(self.nOutputPlane, -1) end
end

for _, name in ipairs { 'noBias', 'reset', 'sharedAccUpdateGradParameters', '_stateView' } do
  SpatialConvolutionMM[name] = Convolution[name]
end

return SpatialConvolutionMM
