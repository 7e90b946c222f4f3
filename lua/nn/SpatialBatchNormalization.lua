--- Normalises each channel of pictures over the batch and the picture.
-- As nn.BatchNormalization, for x (N, C, H, W); in evaluation also (C, H, W).
-- @classmod nn.SpatialBatchNormalization
local SpatialBatchNormalization = require 'nn'.declare { name = 'nn.SpatialBatchNormalization', parent = 'nn.BatchNormalization' }

SpatialBatchNormalization.__version = 2
SpatialBatchNormalization.nDim = 4

return SpatialBatchNormalization
