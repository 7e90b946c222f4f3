--- Margin loss of sets of classes: the sum over targets t and other classes j of max(0, 1 - (x[t] - x[j])) / classes.
-- Shapes: x (classes) or (N, classes); target of the same size, where each row is a list of classes that ends with the first 0.
-- @classmod nn.MultiLabelMarginLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local MultiLabelMarginLoss = nn.declare(loss {
  name = 'nn.MultiLabelMarginLoss', call = 'multilabelMarginLoss',
  samples = {
    { 'MultiLabelMarginLoss()', { 3, 4 }, 'torch.LongTensor { { 3, 1, 0, 2 }, { 4, 0, 0, 0 }, { 1, 2, 3, 0 } }' },
  },
})
MultiLabelMarginLoss.__givesWay = true

return MultiLabelMarginLoss
