--- Mean of d^2 / (2 beta) where |d| < beta, else |d| - beta / 2, with d = input - target.
-- Source: Girshick (2015), "Fast R-CNN", ICCV, eq. 3.
-- @classmod nn.SmoothL1Loss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt=1] number beta
local SmoothL1Loss = nn.declare(loss {
  name = 'nn.SmoothL1Loss', call = 'smoothL1Loss',
  samples = {
    { 'SmoothL1Loss()', { 4, 3 }, { 4, 3 } },
    { 'SmoothL1Loss({ beta = 0.3 })', { 4, 3 }, { 4, 3 } },
  },
})
SmoothL1Loss.__givesWay = true

return SmoothL1Loss
