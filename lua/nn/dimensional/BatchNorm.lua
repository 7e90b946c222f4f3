--- Batch normalisation with PyTorch's names and arguments: nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d.
-- y = (x - mean) / sqrt(var + eps) * weight + bias for each channel, by the statistics of the batch in training, else by the running ones;
-- without running statistics (trackRunningStats = false) always by the batch's.
-- Source: Ioffe & Szegedy (2015), "Batch Normalization", ICML, algorithm 1.
-- Shapes: x (N, C) or (N, C, L); (N, C, H, W); (N, C, T, H, W), kept.
-- @module nn.dimensional.BatchNorm
local batchNorm = require 'nn.support.batchNorm'

local ranges = { { 2, 3 }, { 4, 4 }, { 5, 5 } }
local inputs = { { 4, 3 }, { 2, 3, 2, 2 }, { 2, 3, 2, 2, 2 } }

return function(dims)
  local name = ('BatchNorm%dd'):format(dims)
  return batchNorm('nn.' .. name, ranges[dims][1], ranges[dims][2], {
    { name .. '(3)', inputs[dims] }, { name .. '(3, { affine = false, trackRunningStats = false })', inputs[dims] },
  })
end
