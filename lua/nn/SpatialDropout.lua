--- In training, sets feature maps of (C, H, W) or (N, C, H, W) to zero: `nn.SpatialDropout([p=0.5 [, stochasticInference=false]])`.
-- The others are not scaled; in evaluation all maps are multiplied by 1 - p.
-- Source: Tompson et al. (2015), "Efficient Object Localization Using Convolutional Networks", CVPR, section 3.2.
-- @classmod nn.SpatialDropout
return require 'nn.support.planeDropout'('nn.SpatialDropout', 4, '4D (nbatch, nfeat, h, w) or 3D (nfeat, h, w)')
