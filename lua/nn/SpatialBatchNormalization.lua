--- Normalises each channel of images over the batch and the image.
-- Like nn.BatchNormalization, for x (N, C, H, W); in evaluation also (C, H, W).
-- @classmod nn.SpatialBatchNormalization
local SpatialBatchNormalization = require 'nn'.declare { name = 'nn.SpatialBatchNormalization', parent = 'nn.BatchNormalization' }

SpatialBatchNormalization.__version = 2
SpatialBatchNormalization.nDim = 4

return SpatialBatchNormalization
