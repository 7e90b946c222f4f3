--- nn.Linear whose weight is learnt as directions and lengths: weight = g v / max(|v|, eps), row by row.
-- Source: Salimans & Kingma (2016), "Weight Normalization", NeurIPS, eq. 2. Shapes: x (..., in) -> (..., out).
-- @classmod nn.LinearWeightNorm
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local boundOf = require 'nn.support.bound'

local function derivedWeight(self)
  return torch.cmul(self.v, torch.cdiv(self.g, torch.cmax(torch.norm(self.v, 2, 2), self.eps)))
end

local LinearWeightNorm, parent = nn.declare {
  name = 'nn.LinearWeightNorm', parent = 'nn.Linear',
  parameters = { { 'v' }, { 'g' }, { 'bias' } },
  compute = function(self, input)
    if self.train == false then return torch.linear(input, self.weight, self.bias) end
    local weight = derivedWeight(self)
    self.weight:set(weight:detach())
    return torch.linear(input, weight, self.bias)
  end,
  prints = function(self)
    return ('(%d -> %d)%s'):format(self.inputSize, self.outputSize, self.bias and '' or ' without bias')
  end,
  samples = { { 'LinearWeightNorm(3, 2)', { 4, 3 }, rows = true } },
}

LinearWeightNorm.madeOf = { weight = { 'v', 'g' }, gradWeight = { 'gradV', 'gradG' } }

--- @tparam int inputSize
-- @tparam int outputSize
-- @tparam[opt=true] boolean bias
-- @tparam[opt=1e-16] number eps
function LinearWeightNorm:__init(inputSize, outputSize, bias, eps)
  nn.Module.__init(self)
  self.eps = eps or 1e-16
  self.outputSize, self.inputSize = outputSize, inputSize
  self.weight = torch.Tensor(outputSize, inputSize)
  self:declare('v', torch.Tensor(outputSize, inputSize))
  self:declare('g', torch.Tensor(outputSize, 1))
  if bias ~= false then self:declare('bias', torch.Tensor(outputSize)) end
  self:reset()
end

--- Draws the weight, then the bias, like nn.Linear, and computes directions and lengths from it.
-- @tparam[opt] number stdv standard deviation of the draws instead
-- @treturn nn.LinearWeightNorm self
function LinearWeightNorm:reset(stdv)
  self:draw(boundOf(self, stdv, 1 / math.sqrt(self.inputSize)))
  return self:initFromWeight()
end

--- Computes directions and lengths from a weight.
-- @tparam[opt] torch.Tensor weight by default the module's
-- @treturn nn.LinearWeightNorm self
function LinearWeightNorm:initFromWeight(weight)
  weight = check.tensor('nn.LinearWeightNorm', 'weight', weight or self.weight)
  torch.noGrad(function()
    self.g:copy(weight:norm(2, 2))
    self.v:copy(weight)
  end)
  return self
end

--- Returns a module with the same weight and bias as an nn.Linear.
-- @tparam nn.Linear linear
-- @treturn nn.LinearWeightNorm
function LinearWeightNorm.fromLinear(linear)
  local outputSize, inputSize = linear.weight:size(1), linear.weight:size(2)
  local module = nn.LinearWeightNorm(inputSize, outputSize, linear.bias ~= nil)
  module.weight:copy(linear.weight)
  module:initFromWeight()
  if linear.bias then module.bias:copy(linear.bias) end
  return module
end

--- Returns an nn.Linear that computes the same.
-- @treturn nn.Linear
function LinearWeightNorm:toLinear()
  local linear = nn.Linear(self.inputSize, self.outputSize, self.bias ~= nil):type(self:type())
  linear.weight:copy(torch.noGrad(derivedWeight, self))
  if self.bias then linear.bias:copy(self.bias) end
  return linear
end

LinearWeightNorm.accUpdateGradParameters = nn.Module.accUpdateGradParameters
LinearWeightNorm.sharedAccUpdateGradParameters = nn.Module.sharedAccUpdateGradParameters

--- Switches to evaluation mode: computes the weight once more, and caches it.
function LinearWeightNorm:evaluate()
  if self.train ~= false then self.weight:set(torch.noGrad(derivedWeight, self)) end
  parent.evaluate(self)
end

--- Also frees the weight; the next forward computes it again.
function LinearWeightNorm:clearState()
  self.weight:set()
  if self.train == false then self.train = nil end
  return parent.clearState(self)
end

return LinearWeightNorm
