--- Separate convolution of each channel: channel i yields the channels (i - 1) nOut + 1 .. i nOut.
-- Shapes: x (nIn, H, W) -> (nIn nOut, H', W') with nn.SpatialConvolution's sizes, or both with leading N; weight (nOut, nIn kH kW),
-- bias (nOut, nIn).
-- Source: Howard et al. (2017), "MobileNets", arXiv:1704.04861, section 3.1.
-- @classmod nn.SpatialDepthWiseConvolution
local torch, check = require 'torch', require 'torch.check'
local nn, window = require 'nn', require 'nn.support.window'
local Convolution = nn.SpatialConvolution

local SpatialDepthWiseConvolution, parent = nn.declare {
  name = 'nn.SpatialDepthWiseConvolution',
  compute = function(self, input)
    window.expectRoom(self, input, 2, self.nInputPlane)
    local mult, planes = self.nOutputPlane, self.nInputPlane
    local kernels = torch.transpose(torch.reshape(self.weight, { mult, planes, self.kH, self.kW }), 1, 2)
    local bias = self.bias and torch.reshape(torch.t(torch.reshape(self.bias, { mult, planes })), planes * mult)
    return torch.conv2d(input, torch.reshape(kernels, { planes * mult, 1, self.kH, self.kW }), bias, self.dH, self.dW, self.padH, self.padW,
      1, 1, planes)
  end,
  samples = {
    { 'SpatialDepthWiseConvolution(2, 3, 2, 3, 1, 1, 1, 1)', { 2, 2, 5, 4 }, rows = true },
    { 'SpatialDepthWiseConvolution(2, 3, 2, 3):noBias()', { 2, 2, 5, 4 }, rows = true },
  },
}

--- @tparam int nInputPlane channels of the input
-- @tparam int nOutputPlane output channels per input channel
-- @tparam int kW width of the filters
-- @tparam int kH their height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padW zeros at the left and right
-- @tparam[opt=padW] int padH zeros at the top and bottom
function SpatialDepthWiseConvolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
  local where = 'nn.SpatialDepthWiseConvolution'
  parent.__init(self)
  self.nInputPlane = check.whole(where, 'nInputPlane', nInputPlane, { min = 1 })
  self.nOutputPlane = check.whole(where, 'nOutputPlane', nOutputPlane, { min = 1 })
  window.set(self, 'k', 1, kW, kH)
  window.set(self, 'd', 1, dW or 1, dH or 1)
  window.set(self, 'pad', 0, padW or 0, padH or padW or 0)
  self:declare('weight', torch.Tensor(nOutputPlane, nInputPlane * self.kH * self.kW))
  self:declare('bias', torch.Tensor(nOutputPlane, nInputPlane))
  self.finput, self.fgradInput = torch.Tensor(), torch.Tensor()
  self:reset()
end

for _, name in ipairs { 'noBias', 'reset', 'sharedAccUpdateGradParameters', 'transient', '__tostring__' } do
  SpatialDepthWiseConvolution[name] = Convolution[name]
end

return SpatialDepthWiseConvolution
