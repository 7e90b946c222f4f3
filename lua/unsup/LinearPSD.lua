--- Predictive sparse decomposition with matrices.
-- @classmod unsup.LinearPSD
local torch = require 'torch'
local nn = require 'nn'
local PSD = require 'unsup.PSD'
local LinearFistaL1 = require 'unsup.LinearFistaL1'

local LinearPSD, parent = torch.class('unsup.LinearPSD', 'unsup.PSD')

--- @int inputSize
-- @int outputSize of the code
-- @number lambda weight of the code's absolute sum
-- @number beta weight of the encoder's error
-- @tparam[opt] table params `encoderType` ('linear', 'tanh', 'tanh_shrink'), and FistaL1's
function LinearPSD:__init(inputSize, outputSize, lambda, beta, params)
  local encoder = PSD.encoderOf(params, nn.Linear(inputSize, outputSize), outputSize)
  parent.__init(self, encoder, LinearFistaL1(inputSize, outputSize, lambda, params), beta)
end

return LinearPSD
