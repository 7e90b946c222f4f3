--- Cross entropy of scores, (classes), (N, classes) or (N, classes, …), with classes from 1, or the probabilities of the classes.
-- nn.functional.crossEntropy has the formulas.
-- @classmod nn.CrossEntropyLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt] torch.Tensor weight one for each class; means are divided by the sum of the targets' weights
-- @tparam[opt=-100] int ignoreIndex a class without loss
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt=0] number labelSmoothing that fraction of each target is spread over all classes
local CrossEntropyLoss = nn.declare(loss {
  name = 'nn.CrossEntropyLoss', call = 'crossEntropy',
  samples = {
    { 'CrossEntropyLoss()', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
    { 'CrossEntropyLoss(torch.DoubleTensor { 1, 2, 3 }, { ignoreIndex = 1, labelSmoothing = 0.1 })', { 4, 3 },
      'torch.LongTensor { 3, 1, 2, 3 }' },
    { "CrossEntropyLoss({ reduction = 'sum' })", { 2, 3, 2 }, 'torch.LongTensor { { 3, 1 }, { 2, 3 } }' },
  },
})
CrossEntropyLoss.__givesWay = true

return CrossEntropyLoss
