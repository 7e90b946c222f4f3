--- Mean of log(1 + exp(-y x)) for y 1 or -1.
-- @classmod nn.SoftMarginLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local SoftMarginLoss = nn.declare(loss {
  name = 'nn.SoftMarginLoss', call = 'softMarginLoss',
  samples = {
    { 'SoftMarginLoss()', { 2, 3 }, 'torch.DoubleTensor { { 1, -1, 1 }, { -1, -1, 1 } }' },
  },
})
SoftMarginLoss.__givesWay = true

return SoftMarginLoss
