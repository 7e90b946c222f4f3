--- nn.LogSoftMax, by the name that is used for pictures: over the channels of (C, H, W) or (N, C, H, W).
-- @classmod nn.SpatialLogSoftMax
return (require 'nn'.declare {
  name = 'nn.SpatialLogSoftMax', parent = 'nn.LogSoftMax',
  samples = { { 'SpatialLogSoftMax()', { 2, 3, 2, 2 }, rows = true } },
})
