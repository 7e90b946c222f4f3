--- Reparametrises a module's weight as directions and lengths: weight = g v / sqrt(|v|^2 + 1e-4), by slices of the output dimension.
-- Source: Salimans & Kingma (2016), "Weight Normalization", NeurIPS, eq. 2.
-- @classmod nn.WeightNorm
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local nn, autograd = require 'nn', require 'autograd.core'
local run, fileFields = require 'nn.support.run', require 'nn.support.file_fields'

local eps = 1e-4

-- Returns the order of the weight's dimensions with the output's first. It is its own inverse.
local function outputFirst(outputDim, weight)
  return outputDim == 1 and weight or torch.transpose(weight, 1, outputDim)
end

-- Returns the weight in the child's shape.
local function derivedWeight(v, g, outputDim, sizes)
  local rows = torch.cmul(v, torch.cdiv(g, torch.sqrt(torch.add(torch.sum(torch.cmul(v, v), 2), eps))))
  local swapped = sizes:totable()
  swapped[1], swapped[outputDim] = swapped[outputDim], swapped[1]
  return outputFirst(outputDim, torch.view(rows, torch.LongStorage(swapped))):contiguous()
end

local function weightOf(self, sizes) return derivedWeight(self.v, self.g, self.outputDim, sizes) end

local WeightNorm, parent = nn.declare {
  name = 'nn.WeightNorm', parent = 'nn.Decorator',
  parameters = { { 'v' }, { 'g' }, { 'bias' } },
  -- On the tape, the child's weight is a result computed from v and g; the weight in its field is a plain copy. In evaluation, that copy
  -- keeps its values, and the result uses them.
  compute = function(self, input)
    local module = self.modules[1]
    local followed = C.gradMode() and (C.tracked(self.v) or C.tracked(self.g))
    if self.train == false and not followed then return module:onTape(input) end
    local kept, weight = module.weight, weightOf(self, module.weight:size())
    torch.noGrad(function()
      if self.train == false then weight:copy(kept) else kept:copy(weight) end
    end)
    module.weight = weight
    local done, output = pcall(module.onTape, module, input)
    module.weight = kept
    if not done then error(output, 0) end
    return output
  end,
  samples = { { 'WeightNorm(nn.Linear(3, 2))', { 4, 3 }, rows = true } },
}

WeightNorm.madeOf = { weight = { 'v', 'g' }, gradWeight = { 'gradV', 'gradG' } }

-- The parameters in the child: its weight and bias, and their gradients.
local function linkToChild(self)
  local module = self.modules[1]
  self.weight, self.gradWeight, self.bias, self.gradBias = module.weight, module.gradWeight, module.bias, module.gradBias
end

--- @tparam nn.Module module that has a weight
-- @tparam[opt=1] int outputDim dimension of the weight for outputs
function WeightNorm:__init(module, outputDim)
  parent.__init(self, module)
  check.that(module.weight, 'nn.WeightNorm: module: expected one with a weight')
  linkToChild(self)
  self.outputDim = outputDim or 1
  self.weightSize = self.weight:size()                             -- for files, because the weight itself may be elsewhere
  local rows = self.weight:size(self.outputDim)
  self:declare('v', torch.Tensor(rows, self.weight:nElement() / rows))
  self:declare('g', torch.Tensor(rows, 1))
  self:resetInit()
end

--- Draws directions from normal(0, sqrt(2 / columns)), sets the lengths to their norms, and the bias to 0.
function WeightNorm:resetInit()
  torch.noGrad(function()
    self.v:normal(0, math.sqrt(2 / self.v:size(2)))
    self.g:copy(self.v:norm(2, 2))
    if self.bias then self.bias:zero() end
    self.weight:copy(weightOf(self, self.weight:size()))
  end)
end

WeightNorm.reset = WeightNorm.resetInit

WeightNorm.parameters = nn.Module.parameters
WeightNorm.zeroGradParameters = nn.Module.zeroGradParameters
WeightNorm.updateParameters = nn.Module.updateParameters

--- Computes the weight from directions and lengths.
function WeightNorm:updateWeight()
  torch.noGrad(function() self.weight:copy(weightOf(self, self.weight:size())) end)
end

function WeightNorm:updateOutput(input)
  if self.train ~= false then self:updateWeight() end
  return parent.updateOutput(self, input)
end

-- Adds the gradients derived from the child's weight gradient to those by v and g.
local function addDerived(self)
  local v, g = self.v:detach():requiresGrad(), self.g:detach():requiresGrad()
  local weight = derivedWeight(v, g, self.outputDim, self.gradWeight:size())
  local byV, byG = unpack(autograd.grad(weight, { v, g }, { gradOutputs = self.gradWeight }))
  torch.noGrad(function()
    if self.gradV then self.gradV:add(byV) end
    if self.gradG then self.gradG:add(byG) end
  end)
end

function WeightNorm:accGradParameters(input, gradOutput, scale)
  self.gradWeight:zero()
  parent.accGradParameters(self, input, gradOutput, scale)
  addDerived(self)
end

function WeightNorm:backward(input, gradOutput, scale)
  self.gradWeight:zero()
  self.gradInput = self.modules[1]:backward(input, gradOutput, scale)
  addDerived(self)
  return self.gradInput
end

-- The child has no access to v and g.
WeightNorm.accUpdateGradParameters = nn.Module.sharedAccUpdateGradParameters
WeightNorm.sharedAccUpdateGradParameters = nn.Module.sharedAccUpdateGradParameters

--- Shares the named tensors of this module and its child. With the weight, v and g are shared, and with its gradient, theirs.
function WeightNorm:share(other, ...)
  parent.share(self, other, ...)
  nn.Module.share(self, other, ...)
  linkToChild(self)
  return self
end

-- The weight is computed from v and g, so files leave it out.
local derivedFields = { weight = true, gradWeight = true, [run.field] = true }

function WeightNorm:write(file)
  local module, fields = self.modules[1], fileFields(self, file, derivedFields)
  fields.weightSize = self.weight and self.weight:size() or self.weightSize
  local weight, gradWeight = module.weight, module.gradWeight
  module.weight, module.gradWeight = nil, nil
  local done, message = pcall(file.writeObject, file, fields)
  module.weight, module.gradWeight = weight, gradWeight
  if not done then error(message, 0) end
end

function WeightNorm:read(file)
  parent.read(self, file)
  local module = self.modules[1]
  local sizes = self.weightSize or error('nn.WeightNorm: read: the file lacks the size of the weight', 0)
  self.weight, self.gradWeight = self.v.new(sizes), self.v.new(sizes):zero()
  module.weight, module.gradWeight = self.weight, self.gradWeight
  self:updateWeight()
end

return nn.Decorator.deriving(WeightNorm)
