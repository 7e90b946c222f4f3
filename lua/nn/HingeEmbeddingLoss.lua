--- Mean of x where the target is 1, and of max(0, margin - x) where it is -1.
-- @classmod nn.HingeEmbeddingLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt=1] number margin
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local HingeEmbeddingLoss = nn.declare(loss {
  name = 'nn.HingeEmbeddingLoss', call = 'hingeEmbeddingLoss',
  samples = {
    { 'HingeEmbeddingLoss()', { 2, 3 }, 'torch.DoubleTensor { { 1, -1, 1 }, { -1, -1, 1 } }' },
  },
})
HingeEmbeddingLoss.__givesWay = true

return HingeEmbeddingLoss
