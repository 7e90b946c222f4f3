--- Transposed convolution of volumes.
-- Shapes: x (nIn, T, H, W) -> (nOut, (T - 1) dT - 2 padT + kT + adjT, likewise H and W), or both with leading N. For a table {x, like},
-- the adjustment is chosen so that the result has the sizes of `like`, as far as the window allows; the gradient by `like` is zero.
-- @classmod nn.VolumetricFullConvolution
local torch, check = require 'torch', require 'torch.check'
local nn, window = require 'nn', require 'nn.support.window'

local VolumetricFullConvolution, parent = nn.declare {
  name = 'nn.VolumetricFullConvolution', takes = 'any', unusedAsOne = true,
  compute = function(self, input)
    local adj = { window.get(self, 'adj', 3) }
    if type(input) == 'table' then
      local like = input[2]
      for i, axis in ipairs { 'T', 'H', 'W' } do
        adj[i] = (like:size(like:dim() - 3 + i) + 2 * self['pad' .. axis] - self['k' .. axis]) % self['d' .. axis]
      end
      input = input[1]
    end
    window.expectImages(self, input, 3)
    return torch.convTranspose3d(input, self.weight, self.bias, self.dT, self.dH, self.dW, self.padT, self.padH, self.padW, adj,
      self.dilationT, self.dilationH, self.dilationW)
  end,
  transient = { 'finput', 'fgradInput' },  -- buffers in files of Torch7
  prints = function(self) return window.describeConvolution(self, 3) end,
  samples = {
    { 'VolumetricFullConvolution(2, 3, 2, 1, 2)', { 2, 2, 2, 3, 2 }, rows = true },
    { 'VolumetricFullConvolution(2, 1, 2, 2, 3, 2, 1, 2, 0, 1, 1, 1, 0, 1)', { 2, 2, 2, 3, 2 }, rows = true },
  },
}

--- @tparam int nInputPlane channels of the input
-- @tparam int nOutputPlane channels of the output
-- @tparam int kT depth of the filters
-- @tparam int kW width
-- @tparam int kH height
-- @tparam[opt=1] int dT step in depth, of the output
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padT slices cut off before and behind
-- @tparam[opt=0] int padW columns cut off at the left and right
-- @tparam[opt=0] int padH rows cut off at the top and bottom
-- @tparam[opt=0] int adjT additional slices behind, less than dT
-- @tparam[opt=0] int adjW additional columns at the right, less than dW
-- @tparam[opt=0] int adjH additional rows at the bottom, less than dH
function VolumetricFullConvolution:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH, adjT, adjW, adjH)
  local where = 'nn.VolumetricFullConvolution'
  parent.__init(self)
  self.nInputPlane = check.whole(where, 'nInputPlane', nInputPlane, { min = 1 })
  self.nOutputPlane = check.whole(where, 'nOutputPlane', nOutputPlane, { min = 1 })
  window.set(self, 'k', 1, kT, kW, kH)
  window.set(self, 'd', 1, dT or 1, dW or 1, dH or 1)
  window.set(self, 'pad', 0, padT or 0, padW or 0, padH or 0)
  window.set(self, 'adj', 0, adjT or 0, adjW or 0, adjH or 0)
  if self.adjT > self.dT - 1 or self.adjW > self.dW - 1 or self.adjH > self.dH - 1 then
    check.raise('nn.VolumetricFullConvolution: adj: '
      .. 'adjT, adjW and adjH must be smaller than self.dT - 1, self.dW - 1 and self.dH - 1 respectively')
  end
  self:declare('weight', torch.Tensor(nInputPlane, nOutputPlane, self.kT, self.kH, self.kW))
  self:declare('bias', torch.Tensor(nOutputPlane))
  self.ones, self.finput, self.fgradInput = torch.Tensor(), torch.Tensor(), torch.Tensor()
  self:reset()
end

--- Removes the bias.
-- @treturn nn.VolumetricFullConvolution self
VolumetricFullConvolution.noBias = require 'nn.support.no_bias'

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kT kW kH nInputPlane).
-- @tparam[opt] number stdv standard deviation of the draws instead
function VolumetricFullConvolution:reset(stdv)
  window.draw(self, stdv, self.kT * self.kW * self.kH * self.nInputPlane)
end

-- The gradient does not depend on the weights, so the update may change them during accumulation.
VolumetricFullConvolution.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return VolumetricFullConvolution
