--- Sparse coding with a matrix: the code z that minimises |D z - x|^2 + lambda |z|_1.
-- @classmod unsup.LinearFistaL1
local torch = require 'torch'
local nn = require 'nn'
require 'unsup.FistaL1'

local LinearFistaL1, parent = torch.class('unsup.LinearFistaL1', 'unsup.FistaL1')

--- @int inputSize
-- @int outputSize of the code
-- @number lambda weight of the code's absolute sum
-- @tparam[opt] table params as FistaL1's
function LinearFistaL1:__init(inputSize, outputSize, lambda, params)
  local D, criterion = nn.Linear(outputSize, inputSize), nn.MSECriterion()
  criterion.sizeAverage = false
  parent.__init(self, D, criterion, lambda, params)
  D.bias:zero()
  self.factor, self.smallestL = 1, 0
  self.code:resize(outputSize):zero()
end

-- Each search starts at zero.
function LinearFistaL1:start() self.code:zero() end

-- D has no bias to learn.
function LinearFistaL1:accGradParameters(input, target, scale)
  parent.accGradParameters(self, input, target, scale)
  self.D.gradBias:zero()
end

return LinearFistaL1
