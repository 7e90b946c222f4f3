--- Predictive sparse decomposition: a sparse code, and an encoder that learns to predict it.
-- Source: Kavukcuoglu, Ranzato & LeCun (2008), as FistaL1.
-- @classmod unsup.PSD
local nn = require 'nn'
local check = require 'torch.check'
local UnsupModule = require 'unsup.UnsupModule'
local FistaL1 = require 'unsup.FistaL1'

local PSD, parent = UnsupModule.pairClass 'unsup.PSD'

--- @tparam nn.Module encoder of input to code
-- @tparam unsup.FistaL1 decoder
-- @number beta weight of |encoder(x) - code|^2
-- @tparam[opt] table params FISTA's settings, for the decoder
function PSD:__init(encoder, decoder, beta, params)
  parent.__init(self)
  self.encoder, self.decoder, self.beta = encoder, decoder, check.number('unsup.PSD', 'beta', beta, { min = 0 })
  self.predcost = nn.MSECriterion()
  self.predcost.sizeAverage = false
  if params then decoder.params = FistaL1.settings(params) end
  self.params = decoder.params
end

--- The cost of an input: that of its code, and of the encoder's error.
-- @tparam torch.Tensor input
-- @tparam[opt] torch.Tensor target the tensor to reconstruct; default: the input
-- @treturn number
-- @treturn {table,...} the steps of FISTA
function PSD:updateOutput(input, target)
  local prediction = self.encoder:updateOutput(input)
  local cost, history = self.decoder:updateOutput(target or input, prediction)
  self.output = cost + self.beta * self.predcost:updateOutput(prediction, self.decoder.code)
  return self.output, history
end

--- Returns nothing, since no module precedes this one.
function PSD:updateGradInput() end

function PSD:accGradParameters(input, target, scale)
  self.decoder:accGradParameters(target or input, nil, scale)
  local ofCode = self.predcost:updateGradInput(self.encoder.output, self.decoder.code) * self.beta
  self.encoder:updateGradInput(input, ofCode)
  self.encoder:accGradParameters(input, ofCode, scale or 1)
end

--- Normalises the decoder's kernels, or columns, to norm 1.
function PSD:normalize() self.decoder:normalize() end

--- The second derivatives of the cost by the input, by the diagonal approximation (see nn.hessian).
-- @tparam torch.Tensor input the input of the last forward
-- @tparam[opt=input] torch.Tensor target the tensor to reconstruct
-- @treturn torch.Tensor the field diagHessianInput
function PSD:updateDiagHessianInput(input, target)
  self.decoder:updateDiagHessianInput(target or input)
  local ofCode = self.predcost:updateDiagHessianInput(self.encoder.output, self.decoder.code) * self.beta
  self.diagHessianInput = self.encoder:updateDiagHessianInput(input, ofCode)
  return self.diagHessianInput
end

--- Adds the second derivatives by the parameters of encoder and decoder to their fields.
-- @tparam torch.Tensor input the input of the last forward
-- @tparam[opt=input] torch.Tensor target the tensor to reconstruct
-- @tparam[opt=1] number scale factor
function PSD:accDiagHessianParameters(input, target, scale)
  self.decoder:accDiagHessianParameters(target or input, nil, scale)
  local ofCode = self.predcost:updateDiagHessianInput(self.encoder.output, self.decoder.code) * self.beta
  self.encoder:accDiagHessianParameters(input, ofCode, scale or 1)
end

local encoders = {
  linear = function(first) return first end,
  tanh = function(first, size) return nn.Sequential():add(first):add(nn.Tanh()):add(nn.Diag(size)) end,
  tanh_shrink = function(first, size) return nn.Sequential():add(first):add(nn.TanhShrink()):add(nn.Diag(size)) end,
}

--- An encoder of one of the usual kinds.
-- @tparam ?table params `encoderType`: 'linear' (the default), 'tanh', or 'tanh_shrink'
-- @tparam nn.Module first its linear part
-- @int size of the code, along the first dimension
-- @treturn nn.Module
function PSD.encoderOf(params, first, size)
  local kind = params and params.encoderType or 'linear'
  if not encoders[kind] then
    check.raise(('params.encoderType unknown: %s, expected linear, tanh or tanh_shrink'):format(tostring(kind)))
  end
  return encoders[kind](first, size)
end

return PSD
