--- nn.SoftMax, by the name that is used for pictures: over the channels of (C, H, W) or (N, C, H, W).
-- @classmod nn.SpatialSoftMax
local torch = require 'torch'
require 'nn'

return (torch.class('nn.SpatialSoftMax', 'nn.SoftMax'))
