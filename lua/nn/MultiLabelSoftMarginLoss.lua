--- Binary cross entropy of each class, from scores (…, classes), averaged over the classes.
-- @classmod nn.MultiLabelSoftMarginLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt] torch.Tensor weight factors of the classes
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local MultiLabelSoftMarginLoss = nn.declare(loss {
  name = 'nn.MultiLabelSoftMarginLoss', call = 'multilabelSoftMarginLoss',
  samples = {
    { 'MultiLabelSoftMarginLoss()', { 2, 3 }, 'torch.DoubleTensor { { 1, 0, 1 }, { 0, 0.5, 1 } }' },
    { 'MultiLabelSoftMarginLoss(torch.DoubleTensor { 1, 2, 3 })', { 2, 3 }, 'torch.DoubleTensor { { 1, 0, 1 }, { 0, 0.5, 1 } }' },
  },
})
MultiLabelSoftMarginLoss.__givesWay = true

return MultiLabelSoftMarginLoss
