--- Mean of y (log y - x) for log-probabilities x and probabilities y.
-- @classmod nn.KLDivLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none', 'batchmean' (the sum divided by the size of dimension 1)
-- @tparam[opt=false] boolean logTarget whether the target has log-probabilities
local KLDivLoss = nn.declare(loss {
  name = 'nn.KLDivLoss', call = 'klDiv',
  samples = {
    { 'KLDivLoss()', { 2, 3 }, 'torch.DoubleTensor { { 0.2, 0.3, 0.5 }, { 0, 0.9, 0.1 } }' },
    { "KLDivLoss('batchmean', true)", { 2, 3 }, { 2, 3 } },
  },
})
KLDivLoss.__givesWay = true

return KLDivLoss
