--- (sum of x^p)^(1/p) over each window of an image.
-- Shapes: as for nn.SpatialAveragePooling.
-- Source: Sermanet et al. (2012), "Convolutional Neural Networks Applied to House Numbers Digit Classification", ICPR.
-- @classmod nn.SpatialLPPooling
local nn = require 'nn'

local SpatialLPPooling, parent = nn.declare {
  name = 'nn.SpatialLPPooling', parent = 'nn.Sequential', widens = true,
  samples = {
    { 'SpatialLPPooling(2, 2, 2, 3, 1, 2)', { 2, 2, 5, 6 }, rows = true },
    { 'SpatialLPPooling(2, 3, 2, 2)', { 2, 2, 4, 6 }, positive = true },
  },
}

--- @tparam int nInputPlane channels of the input
-- @tparam[opt=2] number pnorm p
-- @tparam int kW width of the window
-- @tparam int kH its height
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
function SpatialLPPooling:__init(nInputPlane, pnorm, kW, kH, dW, dH)
  parent.__init(self)
  pnorm = pnorm or 2
  self.nInputPlane, self.pnorm, self.kW, self.kH = nInputPlane, pnorm, kW, kH
  self.dW, self.dH = dW or kW, dH or kH
  self:add(pnorm == 2 and nn.Square() or nn.Power(pnorm))
  self:add(nn.SpatialAveragePooling(kW, kH, self.dW, self.dH))
  self:add(nn.MulConstant(kW * kH))
  self:add(pnorm == 2 and nn.Sqrt() or nn.Power(1 / pnorm))
end

-- There are no parameters.
function SpatialLPPooling:reset() end
function SpatialLPPooling:accGradParameters() end
function SpatialLPPooling:accUpdateGradParameters() end
function SpatialLPPooling:zeroGradParameters() end
function SpatialLPPooling:updateParameters() end

return SpatialLPPooling
