--- Sets elements to zero with probability p while training.
-- y = x .* noise, noise being 0 or 1 / (1 - p); in evaluation y = x. With `v1` noise is 0 or 1 and evaluation multiplies by 1 - p.
-- Source: Srivastava et al. (2014), "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", JMLR 15.
-- @classmod nn.Dropout
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local Dropout, parent = torch.class('nn.Dropout', 'nn.Module')

local function checked(p)
  if type(p) ~= 'number' or p < 0 or p >= 1 then
    check.raise('<Dropout> illegal percentage, must be 0 <= p < 1, not ' .. tostring(p))
  end
  return p
end

--- @tparam[opt=0.5] number p probability of zero, below 1
-- @tparam[opt=false] boolean v1 scale in evaluation instead of training
-- @tparam[opt=false] boolean inplace write over the input
-- @tparam[opt=false] boolean stochasticInference drop in evaluation too
function Dropout:__init(p, v1, inplace, stochasticInference)
  parent.__init(self)
  self.p = checked(p or 0.5)
  self.train = true
  self.inplace = inplace or false
  self.stochasticInference = stochasticInference or false
  self.v2 = not v1
  self.noise = torch.Tensor()
end

function Dropout:compute(input)
  if self.p > 0 and (self.train ~= false or self.stochasticInference) then
    local noise = input.new():resizeAs(input):bernoulli(1 - self.p)
    if self.v2 then noise:div(1 - self.p) end
    if input:isChannelsLast() then noise = noise:channelsLast() end              -- drawn in the same order for any layout
    self.noise = noise
    if self.inplace then return input:cmul(noise) end
    return torch.cmul(input, noise)
  end
  local factor = (self.v2 or self.train ~= false) and 1 or 1 - self.p
  if self.inplace then return factor == 1 and input or input:mul(factor) end
  return factor == 1 and torch.clone(input) or torch.mul(input, factor)
end
Dropout.letsGo = Dropout.compute

Dropout.saved = { of = Dropout.compute, field = 'noise', gradient = function(self, _, gradOutput)
  local drew = self.p > 0 and self.train ~= false and self.noise:nElement() == gradOutput:nElement()
  return drew and torch.cmul(self.noise, gradOutput) or nil
end }

-- A forward draws.
Dropout.once = true

--- Changes the probability.
function Dropout:setp(p)
  self.p = checked(p)
end

Dropout.transient = { 'noise' }

function Dropout:__tostring__()
  return ('%s(%f)'):format(torch.type(self), self.p)
end

return Dropout
