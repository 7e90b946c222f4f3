--- Normalises each channel of volumes over the batch and the volume.
-- Like nn.BatchNormalization, for x (N, C, T, H, W); in evaluation also (C, T, H, W).
-- @classmod nn.VolumetricBatchNormalization
local VolumetricBatchNormalization = require 'nn'.declare { name = 'nn.VolumetricBatchNormalization', parent = 'nn.BatchNormalization' }

VolumetricBatchNormalization.__version = 2
VolumetricBatchNormalization.nDim = 5

return VolumetricBatchNormalization
