--- Mean of max(0, -y (a - b) + margin) for the input {a, b}: y is 1 where a should be the larger, -1 where b should be.
-- @classmod nn.MarginRankingLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt=0] number margin
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local MarginRankingLoss = nn.declare(loss {
  name = 'nn.MarginRankingLoss', call = 'marginRankingLoss',
  data = 3, arrange = function(input, target) return input[1], input[2], target end, takes = 'table',
  samples = {
    { 'MarginRankingLoss(0.3)', { { 2, 3 }, { 2, 3 } }, 'torch.DoubleTensor { { 1, -1, 1 }, { -1, -1, 1 } }' },
  },
})
MarginRankingLoss.__givesWay = true

return MarginRankingLoss
