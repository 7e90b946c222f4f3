--- In training, sets feature maps of (C, T, H, W) or (N, C, T, H, W) to zero: `nn.VolumetricDropout([p=0.5 [,
-- stochasticInference=false]])`.
-- The others are not scaled; in evaluation all maps are multiplied by 1 - p.
-- @classmod nn.VolumetricDropout
return require 'nn.support.planeDropout'('nn.VolumetricDropout', 5, '5D (nbatch, nfeat, t, h, w) or 4D (nfeat, t, h, w)')
