--- nn.LogSoftMax under its name for images: over the channels of (C, H, W) or (N, C, H, W).
-- @classmod nn.SpatialLogSoftMax
return (require 'nn'.declare {
  name = 'nn.SpatialLogSoftMax', parent = 'nn.LogSoftMax',
  samples = { { 'SpatialLogSoftMax()', { 2, 3, 2, 2 }, rows = true } },
})
