--- Convolution with separate filters for each position of the result.
-- Shapes: x (nIn, iH, iW) -> (nOut, oH, oW) with nn.SpatialConvolution's sizes, or both with leading N; weight (oH, oW, nOut, nIn, kH,
-- kW), bias (nOut, oH, oW).
-- @classmod nn.SpatialConvolutionLocal
local torch, check = require 'torch', require 'torch.check'
local nn, window = require 'nn', require 'nn.support.window'
local border = require 'nn.support.border'
local refuse = require 'torch.check.refuse'

local SpatialConvolutionLocal, parent = nn.declare {
  name = 'nn.SpatialConvolutionLocal',
  -- One matrix product per position: filters (nOut, patch) times the patches (patch, N) of all images.
  compute = function(self, input)
    window.expectImages(self, input, 2)
    local first, single = input:dim() - 2, input:dim() == 3
    if input:size(first) ~= self.nInputPlane or input:size(first + 1) ~= self.iH or input:size(first + 2) ~= self.iW then
      refuse.shape(('%s: Given input size: (%dx%dx%d) inconsistent with expected input size: (%dx%dx%d).'):format(torch.type(self),
        input:size(first), input:size(first + 1), input:size(first + 2), self.nInputPlane, self.iH, self.iW))
    end
    local batch = single and torch.unsqueeze(input, 1) or input
    batch = border.zero(border.zero(batch, 3, self.padH, self.padH), 4, self.padW, self.padW)
    local places, patch = self.oH * self.oW, self.nInputPlane * self.kH * self.kW
    local windows = torch.unfold(torch.unfold(batch, 3, self.kH, self.dH), 4, self.kW, self.dW)     -- N, C, oH, oW, kH, kW
    local patches = torch.reshape(torch.permute(windows, 3, 4, 2, 5, 6, 1), { places, patch, batch:size(1) })
    local filters = torch.reshape(self.weight, { places, self.nOutputPlane, patch })
    local output = torch.permute(torch.bmm(filters, patches), 3, 2, 1)                              -- N, nOut, places
    output = torch.reshape(output, { batch:size(1), self.nOutputPlane, self.oH, self.oW })
    if self.bias then output = torch.add(output, torch.reshape(self.bias, { 1, self.nOutputPlane, self.oH, self.oW })) end
    return single and torch.squeeze(output, 1) or output
  end,
  transient = { 'finput', 'fgradInput' },  -- buffers in files of Torch7
  prints = function(self) return window.describeConvolution(self, 2, ('%dx%d, '):format(self.iW, self.iH)) end,
  samples = {
    { 'SpatialConvolutionLocal(2, 3, 5, 4, 2, 3, 2, 1, 1)', { 2, 2, 4, 5 }, rows = true },
    { 'SpatialConvolutionLocal(2, 3, 5, 4, 2, 3):noBias()', { 2, 2, 4, 5 }, rows = true },
  },
}

--- @tparam int nInputPlane channels of the input
-- @tparam int nOutputPlane channels of the output
-- @tparam int iW width of the input
-- @tparam int iH its height
-- @tparam int kW width of the filters
-- @tparam int kH their height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padW zeros at the left and right
-- @tparam[opt=padW] int padH zeros at the top and bottom
function SpatialConvolutionLocal:__init(nInputPlane, nOutputPlane, iW, iH, kW, kH, dW, dH, padW, padH)
  local where = 'nn.SpatialConvolutionLocal'
  parent.__init(self)
  self.nInputPlane = check.whole(where, 'nInputPlane', nInputPlane, { min = 1 })
  self.nOutputPlane = check.whole(where, 'nOutputPlane', nOutputPlane, { min = 1 })
  window.set(self, 'i', 1, iW, iH)
  window.set(self, 'k', 1, kW, kH)
  window.set(self, 'd', 1, dW or 1, dH or 1)
  window.set(self, 'pad', 0, padW or 0, padH or padW or 0)
  self.oW = math.floor((self.padW * 2 + iW - self.kW) / self.dW) + 1
  self.oH = math.floor((self.padH * 2 + iH - self.kH) / self.dH) + 1
  check.that(1 <= self.oW and 1 <= self.oH, 'nn.SpatialConvolutionLocal: kernel: illegal configuration: output width or height less than 1')
  self:declare('weight', torch.Tensor(self.oH, self.oW, nOutputPlane, nInputPlane, self.kH, self.kW))
  self:declare('bias', torch.Tensor(nOutputPlane, self.oH, self.oW))
  self.finput, self.fgradInput = torch.Tensor(), torch.Tensor()
  self:reset()
end

--- Removes the bias.
-- @treturn nn.SpatialConvolutionLocal self
SpatialConvolutionLocal.noBias = require 'nn.support.no_bias'

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kW kH nInputPlane).
-- @tparam[opt] number stdv standard deviation of the draws instead
function SpatialConvolutionLocal:reset(stdv)
  window.draw(self, stdv, self.kW * self.kH * self.nInputPlane)
end

-- The gradient does not depend on the weights, so the update may change them during accumulation.
SpatialConvolutionLocal.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return SpatialConvolutionLocal
