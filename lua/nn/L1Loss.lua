--- Mean of |input - target|.
-- @classmod nn.L1Loss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local L1Loss = nn.declare(loss {
  name = 'nn.L1Loss', call = 'l1Loss',
  omits = 'weight',
  samples = {
    { 'L1Loss()', { 4, 3 }, { 4, 3 } },
    { "L1Loss('sum')", { 4, 3 }, { 4, 3 } },
  },
})
L1Loss.__givesWay = true

return L1Loss
