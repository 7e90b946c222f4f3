--- Convolution (cross-correlation) of images with learnt filters.
-- y[o] = b[o] + sum over i of x[i] (*) w[o][i], with zeros around.
-- Shapes: x (nIn, H, W) -> (nOut, floor((H + 2 padH - kH) / dH) + 1, likewise W), or both with leading N.
-- @classmod nn.SpatialConvolution
local torch, check = require 'torch', require 'torch.check'
local nn, window = require 'nn', require 'nn.support.window'

-- Old files have one field `padding` for both axes, and weights that are matrices.
local function updated(self)
  if self.padding then self.padW, self.padH, self.padding = self.padding, self.padding, nil end
  if self.weight:dim() ~= 2 then return nil end
  return { self.nOutputPlane, self.nInputPlane, self.kH, self.kW }
end

local convolved = 'conv2d(input, %s, bias, dH, dW, padH, padW, dilationH, dilationW)'
local plain, ofMatrix = convolved:format 'weight', convolved:format 'view(contiguous(weight), filters)'
local ofGroups = plain:gsub('%)$', ', groups)')      -- of modules of cudnn in files, which have groups

local SpatialConvolution, parent = nn.declare {
  name = 'nn.SpatialConvolution',
  parameters = { { 'weight' }, { 'bias' } },
  values = { 'filters' },
  formula = function(self)
    local filters = updated(self)
    if filters then return ofMatrix, filters end
    return (self.groups or 1) > 1 and ofGroups or plain
  end,
  explain = function(self, message, input) window.explain(self, message, input, 2, self.nInputPlane) end,
  transient = { 'finput', 'fgradInput' },                          -- buffers in files of Torch7
  prints = function(self) return window.describeConvolution(self, 2) end,
  samples = {
    { 'SpatialConvolution(2, 3, 3, 2)', { 2, 2, 5, 6 }, rows = true },
    { 'SpatialConvolution(2, 3, 3, 2, 2, 1, 1)', { 2, 2, 5, 6 }, rows = true },
    { 'SpatialConvolution(2, 3, 3, 2):noBias()', { 2, 2, 5, 6 } },
  },
}

--- @tparam int nInputPlane channels of the input
-- @tparam int nOutputPlane channels of the output
-- @tparam int kW width of the filters
-- @tparam int kH their height
-- @tparam[opt=1] int dW step in x
-- @tparam[opt=1] int dH step in y
-- @tparam[opt=0] int padW zeros at the left and right
-- @tparam[opt=padW] int padH zeros at the top and bottom
function SpatialConvolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
  local where = torch.type(self)
  parent.__init(self)
  self.nInputPlane = check.whole(where, 'nInputPlane', nInputPlane, { min = 1 })
  self.nOutputPlane = check.whole(where, 'nOutputPlane', nOutputPlane, { min = 1 })
  window.set(self, 'k', 1, kW, kH)
  window.set(self, 'd', 1, dW or 1, dH or 1)
  window.set(self, 'pad', 0, padW or 0, padH or padW or 0)
  self:declare('weight', torch.Tensor(nOutputPlane, nInputPlane, self.kH, self.kW))
  self:declare('bias', torch.Tensor(nOutputPlane))
  self.finput, self.fgradInput = torch.Tensor(), torch.Tensor()
  self:reset()
end

--- Removes the bias.
-- @treturn nn.SpatialConvolution self
SpatialConvolution.noBias = require 'nn.support.no_bias'

-- Weights of old files, and of nn.SpatialConvolutionMM, are matrices.
function SpatialConvolution:_stateView(field, tensor)
  if field ~= 'weight' or tensor:dim() ~= 2 then return tensor end
  return tensor:view(self.nOutputPlane, self.nInputPlane, self.kH, self.kW)
end

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(kW kH nInputPlane).
-- @tparam[opt] number stdv standard deviation of the draws instead
function SpatialConvolution:reset(stdv)
  window.draw(self, stdv, self.kW * self.kH * self.nInputPlane)
end

-- The gradient does not depend on the weights, so the update may change them during accumulation.
SpatialConvolution.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return SpatialConvolution
