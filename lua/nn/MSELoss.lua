--- Mean of (input - target)^2.
-- @classmod nn.MSELoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local MSELoss = nn.declare(loss {
  name = 'nn.MSELoss', call = 'mseLoss',
  omits = 'weight',
  samples = {
    { 'MSELoss()', { 4, 3 }, { 4, 3 } },
    { "MSELoss('sum')", { 4, 3 }, { 4, 3 } },
  },
})
MSELoss.__givesWay = true

return MSELoss
