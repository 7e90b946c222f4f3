--- Gives what it gets; multiplies the gradient by -lambda.
-- Source: Ganin & Lempitsky (2015), "Unsupervised Domain Adaptation by Backpropagation", ICML, section 4.
-- @classmod nn.GradientReversal
local torch, C = require 'torch', require 'libmoontorch'
local tape = require 'autograd.tape'
require 'nn'
local explain = require 'nn.support.explain'

local reverse = tape.declare('nn.GradientReversal', function(x) return C.detach(x) end, {
  arguments = { 'x', 'lambda' }, 'mul(g, -lambda)',
})

local GradientReversal, parent = torch.class('nn.GradientReversal', 'nn.Module')

GradientReversal.__version = 2

--- @tparam[opt=1] number lambda
function GradientReversal:__init(lambda)
  parent.__init(self)
  self.lambda = lambda or 1
end

--- @tparam number lambda
function GradientReversal:setLambda(lambda)
  self.lambda = lambda
end

-- Of modules in old files, which lack it.
GradientReversal.lambda = 1

function GradientReversal:compute(input)
  return reverse(input, self.lambda)
end

-- With lambda as it is now.
function GradientReversal:updateGradInput(_, gradOutput)
  if self.gradInput == nil then return nil end
  explain.gradient(self, gradOutput, self.output)
  self.gradInput:resizeAs(gradOutput):copy(gradOutput):mul(-self.lambda)
  return self.gradInput
end

GradientReversal.derived = {
  updateOutput = parent.updateOutput, updateGradInput = GradientReversal.updateGradInput, accGradParameters = parent.accGradParameters,
}

--- Reads a saved module; version 1 had no lambda.
function GradientReversal:read(file, version)
  parent.read(self, file)
  if version < 2 then self.lambda = 1 end
end

return GradientReversal
