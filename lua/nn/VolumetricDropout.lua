--- Sets feature maps of (C, T, H, W) or (N, C, T, H, W) to zero while training:
-- `nn.VolumetricDropout([p=0.5 [, stochasticInference=false]])`.
-- Those that stay are not scaled; in evaluation everything is multiplied by 1 - p.
-- @classmod nn.VolumetricDropout
return require 'nn.support.planeDropout'('nn.VolumetricDropout', 5, '5D (nbatch, nfeat, t, h, w) or 4D (nfeat, t, h, w)')
