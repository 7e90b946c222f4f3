--- nn.AlphaDropout of whole channels: x (N, C, …).
-- @classmod nn.FeatureAlphaDropout
local channelDropout, noises = require 'nn.support.channelDropout', require 'nn.support.noises'

return channelDropout('nn.FeatureAlphaDropout', noises.alphaFormula, noises.alphaNumbers, 0)
