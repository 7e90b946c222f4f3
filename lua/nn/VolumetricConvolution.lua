--- Convolution (cross-correlation) of volumes with learnt filters.
-- Shapes: x (nIn, T, H, W) -> (nOut, floor((T + 2 padT - kT) / dT) + 1, likewise H and W), or both with leading N.
-- @classmod nn.VolumetricConvolution
local torch, check = require 'torch', require 'torch.check'
local nn, window = require 'nn', require 'nn.support.window'

local VolumetricConvolution, parent = nn.declare {
  name = 'nn.VolumetricConvolution', letsGo = true,
  -- Files of Torch7 may contain the weight as a matrix.
  widens = false,
  compute = function(self, input)
    window.expectRoom(self, input, 3, self.nInputPlane)
    local weight = self.weight
    if weight:dim() == 2 then weight = torch.reshape(weight, { self.nOutputPlane, self.nInputPlane, self.kT, self.kH, self.kW }) end
    return torch.conv3d(input, weight, self.bias, self.dT, self.dH, self.dW, self.padT, self.padH, self.padW, self.dilationT,
      self.dilationH, self.dilationW)
  end,
  transient = { 'finput', 'fgradInput' },  -- buffers in files of Torch7
  prints = function(self) return window.describeConvolution(self, 3) end,
  samples = {
    { 'VolumetricConvolution(2, 3, 2, 3, 1)', { 2, 2, 3, 4, 5 }, rows = true },
    { 'VolumetricConvolution(2, 3, 2, 3, 2, 1, 2, 1, 1, 1, 0)', { 2, 2, 3, 4, 5 }, rows = true },
  },
}

--- @tparam int nInputPlane channels of the input
-- @tparam int nOutputPlane channels of the output
-- @tparam int kT depth of the filters
-- @tparam int kW width
-- @tparam int kH height
-- @tparam[opt=1] int dT step in depth
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padT zeros before and behind
-- @tparam[opt=padT] int padW zeros at the left and right
-- @tparam[opt=padW] int padH zeros at the top and bottom
function VolumetricConvolution:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
  local where = torch.type(self)
  parent.__init(self)
  self.nInputPlane = check.whole(where, 'nInputPlane', nInputPlane, { min = 1 })
  self.nOutputPlane = check.whole(where, 'nOutputPlane', nOutputPlane, { min = 1 })
  window.set(self, 'k', 1, kT, kW, kH)
  window.set(self, 'd', 1, dT or 1, dW or 1, dH or 1)
  window.set(self, 'pad', 0, padT or 0, padW or padT or 0, padH or padW or padT or 0)
  self:declare('weight', torch.Tensor(nOutputPlane, nInputPlane, self.kT, self.kH, self.kW))
  self:declare('bias', torch.Tensor(nOutputPlane))
  self.finput, self.fgradInput = torch.Tensor(), torch.Tensor()
  self:reset()
end

--- Removes the bias.
-- @treturn nn.VolumetricConvolution self
VolumetricConvolution.noBias = require 'nn.support.no_bias'

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kT kW kH nInputPlane).
-- @tparam[opt] number stdv standard deviation of the draws instead
function VolumetricConvolution:reset(stdv)
  window.draw(self, stdv, self.kT * self.kW * self.kH * self.nInputPlane)
end

-- The gradient does not depend on the weights, so the update may change them during accumulation.
VolumetricConvolution.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return VolumetricConvolution
