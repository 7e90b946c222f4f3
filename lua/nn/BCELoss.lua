--- Mean of -(y log x + (1 - y) log(1 - x)) for probabilities x; logarithms are at least -100.
-- @classmod nn.BCELoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt] torch.Tensor weight factors, which broadcast to the input
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local BCELoss = nn.declare(loss {
  name = 'nn.BCELoss', call = 'binaryCrossEntropy',
  samples = {
    { 'BCELoss()', { 2, 3 }, 'torch.DoubleTensor { { 1, 0, 1 }, { 0, 0.5, 1 } }', unit = true },
    { "BCELoss(torch.DoubleTensor { 1, 2, 3 }, 'sum')", { 2, 3 }, 'torch.DoubleTensor { { 1, 0, 1 }, { 0, 0.5, 1 } }', unit = true },
  },
})
BCELoss.__givesWay = true

return BCELoss
