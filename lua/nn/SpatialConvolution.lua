--- Convolution (cross-correlation) of pictures with learnt filters.
-- y[o] = b[o] + sum over i of x[i] (*) w[o][i], with zeros around.
-- Shapes: x (nIn, H, W) -> (nOut, floor((H + 2 padH - kH) / dH) + 1, likewise W), or both with leading N.
-- @classmod nn.SpatialConvolution
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local _ = nn.Module

local SpatialConvolution, parent = torch.class('nn.SpatialConvolution', 'nn.Module')

--- @tparam int nInputPlane channels of the input
-- @tparam int nOutputPlane channels of the output
-- @tparam int kW width of the filters
-- @tparam int kH their height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padW zeros at the left and right
-- @tparam[opt=padW] int padH zeros at the top and bottom
function SpatialConvolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
  local where = 'nn.SpatialConvolution'
  parent.__init(self)
  self.nInputPlane = check.int(where, 'nInputPlane', nInputPlane, { min = 1 })
  self.nOutputPlane = check.int(where, 'nOutputPlane', nOutputPlane, { min = 1 })
  self.kW, self.kH = check.int(where, 'kW', kW, { min = 1 }), check.int(where, 'kH', kH, { min = 1 })
  self.dW, self.dH = check.int(where, 'dW', dW or 1, { min = 1 }), check.int(where, 'dH', dH or 1, { min = 1 })
  self.padW = check.int(where, 'padW', padW or 0, { min = 0 })
  self.padH = check.int(where, 'padH', padH or self.padW, { min = 0 })
  self:declare('weight', torch.Tensor(nOutputPlane, nInputPlane, kH, kW))
  self:declare('bias', torch.Tensor(nOutputPlane))
  self:reset()
end

--- Takes the bias away.
-- @treturn nn.SpatialConvolution self
function SpatialConvolution:noBias()
  self.bias, self.gradBias = nil, nil
  return self
end

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kW kH nInputPlane).
-- @tparam[opt] number stdv standard deviation to have instead
function SpatialConvolution:reset(stdv)
  self:draw(stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kW * self.kH * self.nInputPlane))
end

function SpatialConvolution:compute(input)
  return torch.conv2d(input, self.weight, self.bias, self.dH, self.dW, self.padH, self.padW)
end

-- The gradient does not depend on the weights, so they may change under it.
SpatialConvolution.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

function SpatialConvolution:__tostring__()
  local text = ('%s(%d -> %d, %dx%d'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.kW, self.kH)
  local padded = self.padW ~= 0 or self.padH ~= 0
  if self.dW ~= 1 or self.dH ~= 1 or padded then text = text .. (', %d,%d'):format(self.dW, self.dH) end
  if padded then text = text .. (', %d,%d'):format(self.padW, self.padH) end
  return text .. ')' .. (self.bias and '' or ' without bias')
end

return SpatialConvolution
