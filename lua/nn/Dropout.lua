--- In training, sets elements to zero with probability p.
-- y = x .* noise, where noise is 0 or 1 / (1 - p); in evaluation y = x. With `v1`, noise is 0 or 1, and evaluation multiplies by 1 - p.
-- Source: Srivastava et al. (2014), "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", JMLR 15.
-- @classmod nn.Dropout
local torch, check, draw = require 'torch', require 'torch.check', require 'nn.support.draw'

local function checked(p)
  if type(p) ~= 'number' or p < 0 or p >= 1 then
    check.raise('nn.Dropout: p: <Dropout> illegal percentage, must be 0 <= p < 1, not ' .. tostring(p))
  end
  return p
end

local function drops(self) return self.p > 0 and (self.train ~= false or self.stochasticInference) end

local Dropout, parent = require 'nn'.declare {
  name = 'nn.Dropout', inplace = true, draws = 'noise',
  prepare = function(self, input, _, anew)
    local noise = drops(self) and draw(self, 'noise', input, anew)
    if not noise then return end
    noise:resizeAs(input):bernoulli(1 - self.p)
    if self.v2 then noise:div(1 - self.p) end
    if input:isChannelsLast() then self.noise = noise:channelsLast() end           -- the same random numbers for any layout
  end,
  values = { 'factor' },
  formula = function(self)
    if drops(self) then return 'cmul(input, noise)' end
    if self.v2 or self.train ~= false then return 'clone(input)' end
    return 'mul(input, factor)', 1 - self.p
  end,
  prints = function(self) return ('(%f)'):format(self.p) end,
}

--- @tparam[opt=0.5] number p probability of zero, below 1
-- @tparam[opt=false] boolean v1 scale in evaluation instead of training
-- @tparam[opt=false] boolean inplace write over the input
-- @tparam[opt=false] boolean stochasticInference drop elements in evaluation, too
function Dropout:__init(p, v1, inplace, stochasticInference)
  parent.__init(self)
  self.p = checked(p or 0.5)
  self.train = true
  self.inplace = inplace or false
  self.stochasticInference = stochasticInference or false
  self.v2 = not v1
  self.noise = torch.Tensor()
end

--- Sets the probability.
-- @number p from 0 to below 1
function Dropout:setp(p)
  self.p = checked(p)
end

return Dropout
