--- A linear map to scores and their cross entropy: module(input, target), with the map's parameters in `linear`.
-- Shapes: input (N, inFeatures) or (inFeatures); target as for nn.functional.crossEntropy, with outFeatures (N, …).
-- @classmod nn.LinearCrossEntropyLoss
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local sizes = require('nn.support.kinds').exact.sizes

local LinearCrossEntropyLoss, parent = torch.class('nn.LinearCrossEntropyLoss', 'nn.Module')
LinearCrossEntropyLoss.__givesWay = true

--- @tparam int inFeatures
-- @tparam int numClasses
-- @tparam[opt] int|{int,...} outFeatures sizes of further dimensions of scores and targets
-- @tparam[opt=false] bool bias
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt] torch.Tensor weight one for each class
-- @tparam[opt=-100] int ignoreIndex a class without loss
-- @tparam[opt=0] number labelSmoothing
function LinearCrossEntropyLoss:__init(inFeatures, numClasses, outFeatures, bias, reduction, weight, ignoreIndex, labelSmoothing)
  local name = 'nn.LinearCrossEntropyLoss'
  parent.__init(self)
  self.numClasses = check.int(name, 'numClasses', numClasses, { min = 1 })
  self.outFeatures = sizes(name, 'outFeatures', outFeatures or {}, { min = 1 })
  self.reduction = check.choice(name, 'reduction', reduction or 'mean', { 'mean', 'sum', 'none' })
  self.classWeight = weight and check.tensor(name, 'weight', weight)
  self.ignoreIndex = check.int(name, 'ignoreIndex', ignoreIndex or -100)
  self.labelSmoothing = check.number(name, 'labelSmoothing', labelSmoothing or 0, { min = 0, max = 1 })
  local count = numClasses
  for _, size in ipairs(self.outFeatures) do count = count * size end
  self.linear = nn.Linear(inFeatures, count, bias == true)
end

--- @tparam torch.Tensor input
-- @tparam torch.Tensor target
-- @treturn torch.Tensor the loss
function LinearCrossEntropyLoss:forward(input, target)
  local weight, bias = self.linear.weight, self.linear.bias
  if #self.outFeatures > 0 then
    local shape = { self.numClasses, unpack(self.outFeatures) }
    if bias then bias = torch.view(bias, torch.LongStorage(shape)) end
    shape[#shape + 1] = weight:size(2)
    weight = torch.view(weight, torch.LongStorage(shape))
  end
  return nn.functional.linearCrossEntropy(input, weight, target, bias, self.classWeight, self.reduction, self.ignoreIndex,
    self.labelSmoothing)
end

return require('nn.support.options').install(LinearCrossEntropyLoss)
