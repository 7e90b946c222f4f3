--- nn.SoftMax under its name for images: over the channels of (C, H, W) or (N, C, H, W).
-- @classmod nn.SpatialSoftMax
return (require 'nn'.declare {
  name = 'nn.SpatialSoftMax', parent = 'nn.SoftMax',
  samples = { { 'SpatialSoftMax()', { 2, 3, 2, 2 }, rows = true } },
})
