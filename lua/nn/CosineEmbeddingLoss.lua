--- Loss of the cosine c of the input {a, b}: 1 - c where the target is 1, max(0, c - margin) where it is -1.
-- @classmod nn.CosineEmbeddingLoss
local nn, loss = require 'nn', require 'nn.support.loss'

--- @tparam[opt=0] number margin from -1 to 1
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
local CosineEmbeddingLoss = nn.declare(loss {
  name = 'nn.CosineEmbeddingLoss', call = 'cosineEmbeddingLoss',
  data = 3, arrange = function(input, target) return input[1], input[2], target end, takes = 'table',
  samples = {
    { 'CosineEmbeddingLoss(0.1)', { { 3, 4 }, { 3, 4 } }, 'torch.DoubleTensor { 1, -1, -1 }' },
  },
})
CosineEmbeddingLoss.__givesWay = true

return CosineEmbeddingLoss
