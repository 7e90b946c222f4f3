--- Negative log-likelihood of targets from normal distributions: the input is {means, variances}.
-- Half of log v + (mean - target)^2 / v.
-- @classmod nn.GaussianNLLLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt=false] boolean full adds log(2 pi) / 2
-- @tparam[opt=1e-6] number eps smaller variances count as eps
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local GaussianNLLLoss = nn.declare(loss {
  name = 'nn.GaussianNLLLoss', call = 'gaussianNllLoss',
  data = 3, arrange = function(input, target) return input[1], target, input[2] end, takes = 'table',
  samples = {
    { 'GaussianNLLLoss()', { { 4, 3 }, { 4, 3 } }, { 4, 3 }, unit = true },
  },
})
GaussianNLLLoss.__givesWay = true

return GaussianNLLLoss
