--- Margin loss of classes: the sum over classes j other than y of w[y] max(0, margin - x[y] + x[j])^p / classes.
-- Source: Weston & Watkins (1999), "Support Vector Machines for Multi-Class Pattern Recognition", ESANN.
-- @classmod nn.MultiMarginLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt=1] int p 1 or 2
-- @tparam[opt=1] number margin
-- @tparam[opt] torch.Tensor weight one for each class
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local MultiMarginLoss = nn.declare(loss {
  name = 'nn.MultiMarginLoss', call = 'multiMarginLoss',
  samples = {
    { 'MultiMarginLoss()', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
    { 'MultiMarginLoss(2, 0.5, torch.DoubleTensor { 1, 2, 3 })', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' },
  },
})
MultiMarginLoss.__givesWay = true

return MultiMarginLoss
