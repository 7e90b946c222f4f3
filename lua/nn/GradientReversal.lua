--- Returns its input; multiplies the gradient by -lambda.
-- Source: Ganin & Lempitsky (2015), "Unsupervised Domain Adaptation by Backpropagation", ICML, section 4.
-- @classmod nn.GradientReversal
local torch = require 'torch'
local nn = require 'nn'

--- @tparam[opt=1] number lambda
local GradientReversal = nn.declare {
  name = 'nn.GradientReversal', shows = true,
  options = { { 'lambda', 'number', default = 1, field = 'lambda' } },
  formula = function(_, input) return input:dim() > 0 and 'expandAs(input, input)' or nil end,
  otherwise = function(_, input) return torch.clone(input) end,
  gradient = 'mul(g, -lambda)',
}

GradientReversal.__version = 2

--- Sets the factor.
-- @tparam number lambda
function GradientReversal:setLambda(lambda)
  self.lambda = lambda
end

-- For modules in old files, which lack it.
GradientReversal.lambda = 1

--- Reads a saved module; version 1 had no lambda.
function GradientReversal:read(file, version)
  nn.Module.read(self, file)
  if version < 2 then self.lambda = 1 end
end

return GradientReversal
