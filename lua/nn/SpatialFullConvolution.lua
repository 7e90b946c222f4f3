--- Transposed convolution ("deconvolution") of images: the gradient of a convolution by its input, as a layer.
-- Shapes: x (nIn, H, W) -> (nOut, (H - 1) dH - 2 padH + kH + adjH, likewise W), or both with leading N. For a table {x, like}, the
-- adjustment is chosen so that the result has the height and width of `like`, as far as the window allows; the gradient by `like` is zero.
-- Source: Zeiler et al. (2010), "Deconvolutional Networks", CVPR.
-- @classmod nn.SpatialFullConvolution
local torch, check = require 'torch', require 'torch.check'
local nn, window = require 'nn', require 'nn.support.window'

local SpatialFullConvolution, parent = nn.declare {
  name = 'nn.SpatialFullConvolution', takes = 'any', unusedAsOne = true,
  parameters = { { 'weight' }, { 'bias' } },
  values = { 'moreH', 'moreW' },
  formula = function(self, input)
    if type(input) == 'table' then return nil end
    return 'convTranspose2d(input, weight, bias, dH, dW, padH, padW, moreH, moreW, dilationH, dilationW)', self.adjH or 0, self.adjW or 0
  end,
  otherwise = function(self, input)
    local x, like = input[1], input[2]
    window.expectImages(self, x, 2)
    local moreH = (like:size(like:dim() - 1) + 2 * self.padH - self.kH) % self.dH
    local moreW = (like:size(like:dim()) + 2 * self.padW - self.kW) % self.dW
    return torch.convTranspose2d(x, self.weight, self.bias, self.dH, self.dW, self.padH, self.padW, moreH, moreW, self.dilationH,
      self.dilationW)
  end,
  explain = function(self, message, input)
    if torch.isTensor(input) then window.expectImages(self, input, 2) end
    error(message, 0)
  end,
  prints = function(self) return window.describeConvolution(self, 2) end,
  samples = {
    { 'SpatialFullConvolution(2, 3, 3, 2)', { 2, 2, 3, 4 }, rows = true },
    { 'SpatialFullConvolution(2, 3, 3, 2, 2, 3, 1, 0, 1, 2)', { 2, 2, 3, 4 }, rows = true },
    { 'SpatialFullConvolution(2, 3, 3, 2, 2, 3, 1):noBias()', { { 2, 2, 3, 4 }, { 2, 1, 10, 8 } } },
  },
}

--- @tparam int nInputPlane channels of the input
-- @tparam int nOutputPlane channels of the output
-- @tparam int kW width of the filters
-- @tparam int kH their height
-- @tparam[opt=1] int dW step in x, of the output
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padW columns cut off at the left and right
-- @tparam[opt=0] int padH rows cut off at the top and bottom
-- @tparam[opt=0] int adjW additional columns at the right, less than dW
-- @tparam[opt=0] int adjH additional rows at the bottom, less than dH
function SpatialFullConvolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, adjW, adjH)
  local where = 'nn.SpatialFullConvolution'
  parent.__init(self)
  self.nInputPlane = check.whole(where, 'nInputPlane', nInputPlane, { min = 1 })
  self.nOutputPlane = check.whole(where, 'nOutputPlane', nOutputPlane, { min = 1 })
  window.set(self, 'k', 1, kW, kH)
  window.set(self, 'd', 1, dW or 1, dH or 1)
  window.set(self, 'pad', 0, padW or 0, padH or 0)
  window.set(self, 'adj', 0, adjW or 0, adjH or 0)
  if self.adjW > self.dW - 1 or self.adjH > self.dH - 1 then
    check.raise 'nn.SpatialFullConvolution: adj: adjW and adjH must be smaller than self.dW - 1 and self.dH - 1 respectively'
  end
  self:declare('weight', torch.Tensor(nInputPlane, nOutputPlane, self.kH, self.kW))
  self:declare('bias', torch.Tensor(nOutputPlane))
  self.ones = torch.Tensor()
  self:reset()
end

--- Removes the bias.
-- @treturn nn.SpatialFullConvolution self
SpatialFullConvolution.noBias = require 'nn.support.no_bias'

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kW kH nInputPlane).
-- @tparam[opt] number stdv standard deviation of the draws instead
function SpatialFullConvolution:reset(stdv)
  window.draw(self, stdv, self.kW * self.kH * self.nInputPlane)
end

-- The gradient does not depend on the weights, so the update may change them during accumulation.
SpatialFullConvolution.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return SpatialFullConvolution
