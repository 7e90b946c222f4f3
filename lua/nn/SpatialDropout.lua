--- Sets feature maps of (C, H, W) or (N, C, H, W) to zero while training: `nn.SpatialDropout([p=0.5 [, stochasticInference=false]])`.
-- @classmod nn.SpatialDropout
return require 'nn.support.planeDropout'('nn.SpatialDropout', 4, '4D (nbatch, nfeat, h, w) or 3D (nfeat, h, w)')
