--- An encoder, and a decoder that reconstructs the input: cost = beta loss(decoder(encoder(x)), target) [+ lambda codeloss(code)].
-- @classmod unsup.AutoEncoder
local nn = require 'nn'
local check = require 'torch.check'
local UnsupModule = require 'unsup.UnsupModule'

local AutoEncoder, parent = UnsupModule.pairClass 'unsup.AutoEncoder'

--- @tparam nn.Module encoder
-- @tparam nn.Module decoder
-- @number beta weight of the reconstruction
-- @tparam[opt] nn.Criterion loss default: sum of squares
-- @number[opt] lambda weight of the code's cost, together with
-- @tparam[opt] nn.Criterion codeloss
function AutoEncoder:__init(encoder, decoder, beta, loss, lambda, codeloss)
  parent.__init(self)
  self.encoder, self.decoder, self.beta = encoder, decoder, check.number('unsup.AutoEncoder', 'beta', beta)
  check.that((lambda == nil) == (codeloss == nil), 'unsup.AutoEncoder: lambda and codeloss come together')
  if not loss then
    loss = nn.MSECriterion()
    loss.sizeAverage = false
  end
  self.loss, self.lambda, self.codeloss = loss, lambda and check.number('unsup.AutoEncoder', 'lambda', lambda), codeloss
end

--- The cost of an input; the reconstruction is in `decoder.output`.
-- @tparam torch.Tensor input
-- @tparam[opt] torch.Tensor target the tensor to reconstruct; default: the input
-- @treturn number
function AutoEncoder:updateOutput(input, target)
  local code = self.encoder:updateOutput(input)
  local cost = self.beta * self.loss:updateOutput(self.decoder:updateOutput(code), target or input)
  if self.codeloss then cost = cost + self.lambda * self.codeloss:updateOutput(code) end
  self.output = cost
  return cost
end

local function gradients(self, input, target)
  local ofReconstruction = self.loss:updateGradInput(self.decoder.output, target or input) * self.beta
  local ofCode = self.decoder:updateGradInput(self.encoder.output, ofReconstruction)
  if self.codeloss then ofCode = ofCode + self.codeloss:updateGradInput(self.encoder.output) * self.lambda end
  return ofReconstruction, ofCode
end

function AutoEncoder:updateGradInput(input, target)
  local _, ofCode = gradients(self, input, target)
  self.gradInput = self.encoder:updateGradInput(input, ofCode)
  return self.gradInput
end

function AutoEncoder:accGradParameters(input, target, scale)
  local ofReconstruction, ofCode = gradients(self, input, target)
  self.decoder:accGradParameters(self.encoder.output, ofReconstruction, scale or 1)
  self.encoder:updateGradInput(input, ofCode)
  self.encoder:accGradParameters(input, ofCode, scale or 1)
end

--- Normalises the decoder's kernels, or columns, to norm 1 if the field `normalized` is set.
function AutoEncoder:normalize()
  if self.normalized then UnsupModule.normalizeWeight(self.decoder.weight) end
end

-- The second derivative of an absolute value counts as zero.
local function seconds(self, target)
  local ofReconstruction = self.loss:updateDiagHessianInput(self.decoder.output, target) * self.beta
  return ofReconstruction, self.decoder:updateDiagHessianInput(self.encoder.output, ofReconstruction)
end

--- The second derivatives of the cost by the input, by the diagonal approximation (see nn.hessian).
-- @tparam torch.Tensor input the input of the last forward
-- @tparam[opt=input] torch.Tensor target the tensor to reconstruct
-- @treturn torch.Tensor the field diagHessianInput
function AutoEncoder:updateDiagHessianInput(input, target)
  local _, ofCode = seconds(self, target or input)
  self.diagHessianInput = self.encoder:updateDiagHessianInput(input, ofCode)
  return self.diagHessianInput
end

--- Adds the second derivatives by the parameters of encoder and decoder to their fields.
-- @tparam torch.Tensor input the input of the last forward
-- @tparam[opt=input] torch.Tensor target the tensor to reconstruct
-- @tparam[opt=1] number scale factor
function AutoEncoder:accDiagHessianParameters(input, target, scale)
  local ofReconstruction, ofCode = seconds(self, target or input)
  self.decoder:accDiagHessianParameters(self.encoder.output, ofReconstruction, scale or 1)
  self.encoder:updateDiagHessianInput(input, ofCode)
  self.encoder:accDiagHessianParameters(input, ofCode, scale or 1)
end

return AutoEncoder
