--- nn.TripletMarginLoss with any distance.
-- @classmod nn.TripletMarginWithDistanceLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt] function distanceFunction (a, b) -> distances, differentiable
-- @tparam[opt=1] number margin
-- @tparam[opt=false] boolean swap
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local TripletMarginWithDistanceLoss = nn.declare(loss {
  name = 'nn.TripletMarginWithDistanceLoss', call = 'tripletMarginWithDistanceLoss',
  data = 3, arrange = function(input) return input[1], input[2], input[3] end, takes = 'table',
  samples = {
    { 'TripletMarginWithDistanceLoss()', { { 3, 4 }, { 3, 4 }, { 3, 4 } }, 0 },
  },
})
TripletMarginWithDistanceLoss.__givesWay = true

return TripletMarginWithDistanceLoss
