--- Adds Gaussian noise while training, its mean in evaluation.
-- @classmod nn.WhiteNoise
local torch = require 'torch'
local nn = require 'nn'

local WhiteNoise, parent = torch.class('nn.WhiteNoise', 'nn.Module')

-- A forward draws.
WhiteNoise.once = true

--- @tparam[opt=0] number mean
-- @tparam[opt=0.1] number std
function WhiteNoise:__init(mean, std)
  parent.__init(self)
  self.mean, self.std = mean or 0, std or 0.1
  self.noise = torch.Tensor()
end

function WhiteNoise:compute(input)
  if self.train == false then return self.mean == 0 and torch.clone(input) or torch.add(input, self.mean) end
  self.noise = input.new():resizeAs(input):normal(self.mean, self.std)
  return torch.add(input, self.noise)
end

function WhiteNoise:updateGradInput(input, gradOutput)
  if self.train == false then error('backprop only defined while training', 0) end
  return parent.updateGradInput(self, input, gradOutput)
end

WhiteNoise.derived = {
  updateOutput = parent.updateOutput, updateGradInput = WhiteNoise.updateGradInput, accGradParameters = nn.Module.accGradParameters,
}

WhiteNoise.transient = { 'noise' }

function WhiteNoise:__tostring__()
  return ('%s mean: %f, std: %f'):format(torch.type(self), self.mean, self.std)
end

return WhiteNoise
