--- Negative log-likelihood of classes, from log-probabilities (classes), (N, classes) or (N, classes, …); classes count from 1.
-- @classmod nn.NLLLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt] torch.Tensor weight one for each class; means are divided by the sum of the targets' weights
-- @tparam[opt=-100] int ignoreIndex a class without loss
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local NLLLoss = nn.declare(loss {
  name = 'nn.NLLLoss', call = 'nllLoss',
  samples = {
    { 'NLLLoss()', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
    { 'NLLLoss(torch.DoubleTensor { 1, 2, 3 }, { ignoreIndex = 1 })', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
  },
})
NLLLoss.__givesWay = true

return NLLLoss
