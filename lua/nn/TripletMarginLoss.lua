--- Mean of max(0, d(anchor, positive) - d(anchor, negative) + margin) for the input {anchor, positive, negative}, without a target.
-- Distances are those of nn.functional.tripletMarginLoss.
-- @classmod nn.TripletMarginLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt=1] number margin
-- @tparam[opt=2] number p
-- @tparam[opt=1e-6] number eps
-- @tparam[opt=false] boolean swap
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local TripletMarginLoss = nn.declare(loss {
  name = 'nn.TripletMarginLoss', call = 'tripletMarginLoss',
  data = 3, arrange = function(input) return input[1], input[2], input[3] end, takes = 'table',
  samples = {
    { 'TripletMarginLoss()', { { 3, 4 }, { 3, 4 }, { 3, 4 } }, 0 },
    { 'TripletMarginLoss({ p = 3, swap = true })', { { 3, 4 }, { 3, 4 }, { 3, 4 } }, 0 },
  },
})
TripletMarginLoss.__givesWay = true

return TripletMarginLoss
