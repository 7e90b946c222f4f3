--- The sum of each window of an image, times a weight plus a bias for each channel.
-- Shapes: x (C, H, W) -> (C, floor((H - kH) / dH) + 1, likewise W), or both with leading N.
-- y = weight (sum of the window) + bias, channel by channel. Source: LeCun et al. (1998), "Gradient-Based Learning Applied to Document
-- Recognition", Proc. IEEE 86(11), section II.B.
-- @classmod nn.SpatialSubSampling
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local window = require 'nn.support.window'
local refuse = require 'torch.check.refuse'

-- The sums of windows, multiplied by their weights.
local weighted = 'cmul(mul(avgPool2d(input, kH, kW, dH, dW), area), view(contiguous(weight), planes))'

local SpatialSubSampling, parent = nn.declare {
  name = 'nn.SpatialSubSampling',
  parameters = { { 'weight' }, { 'bias' } },
  values = { 'area', 'planes' },
  formula = function(self)
    return self.bias and ('add(%s, view(contiguous(bias), planes))'):format(weighted) or weighted, self.kW * self.kH,
      { self.nInputPlane, 1, 1 }
  end,
  accepts = function(self, input)
    window.expectImages(self, input, 2)
    local dim = input:dim()
    if input:size(dim - 2) ~= self.nInputPlane then
      refuse.shape(('nn.SpatialSubSampling: input: invalid number of input planes. Got: %d, Expected: %d'):format(input:size(dim - 2),
        self.nInputPlane))
    end
    if input:size(dim) < self.kW or input:size(dim - 1) < self.kH then
      refuse.shape(('nn.SpatialSubSampling: input: input image smaller than kernel size, %dx%d is smaller than %dx%d'):format(
        input:size(dim), input:size(dim - 1), self.kW, self.kH))
    end
  end,
  samples = { { 'SpatialSubSampling(2, 2, 3, 2, 1)', { 2, 2, 5, 6 }, rows = true } },
}

--- @tparam int nInputPlane channels of the input
-- @tparam int kW width of the window
-- @tparam int kH its height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
function SpatialSubSampling:__init(nInputPlane, kW, kH, dW, dH)
  parent.__init(self)
  self.nInputPlane = check.whole('nn.SpatialSubSampling', 'nInputPlane', nInputPlane, { min = 1 })
  window.set(self, 'k', 1, kW, kH)
  window.set(self, 'd', 1, dW or 1, dH or 1)
  self:declare('weight', torch.Tensor(nInputPlane))
  self:declare('bias', torch.Tensor(nInputPlane))
  self:reset()
end

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kW kH).
-- @tparam[opt] number stdv standard deviation of the draws instead
function SpatialSubSampling:reset(stdv)
  window.draw(self, stdv, self.kW * self.kH)
end

--- Removes the bias.
-- @treturn nn.SpatialSubSampling self
SpatialSubSampling.noBias = require 'nn.support.no_bias'

return SpatialSubSampling
