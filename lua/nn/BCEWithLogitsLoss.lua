--- Binary cross entropy of scores: mean of -(y log s + (1 - y) log(1 - s)), s = sigmoid(x), without overflow.
-- @classmod nn.BCEWithLogitsLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt] torch.Tensor weight factors, which broadcast to the input
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt] number|torch.Tensor posWeight the weight of y
local BCEWithLogitsLoss = nn.declare(loss {
  name = 'nn.BCEWithLogitsLoss', call = 'binaryCrossEntropyWithLogits',
  samples = {
    { 'BCEWithLogitsLoss()', { 2, 3 }, 'torch.DoubleTensor { { 1, 0, 1 }, { 0, 0.5, 1 } }' },
    { 'BCEWithLogitsLoss({ posWeight = torch.DoubleTensor { 1, 2, 3 } })', { 2, 3 }, 'torch.DoubleTensor { { 1, 0, 1 }, { 0, 0.5, 1 } }' },
  },
})
BCEWithLogitsLoss.__givesWay = true

return BCEWithLogitsLoss
