--- Mean of d^2 / 2 where |d| < delta, else delta (|d| - delta / 2), with d = input - target.
-- Source: Huber (1964), "Robust Estimation of a Location Parameter", Ann. Math. Statist. 35(1).
-- @classmod nn.HuberLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt=1] number delta
local HuberLoss = nn.declare(loss {
  name = 'nn.HuberLoss', call = 'huberLoss',
  omits = 'weight',
  samples = {
    { 'HuberLoss()', { 4, 3 }, { 4, 3 } },
    { 'HuberLoss({ delta = 0.3 })', { 4, 3 }, { 4, 3 } },
  },
})
HuberLoss.__givesWay = true

return HuberLoss
