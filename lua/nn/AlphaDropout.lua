--- Dropout for self-normalising networks: elements become the limit of SELU with probability p (0.5), and all are scaled and moved so that
-- mean 0 and variance 1 stay.
-- Source: Klambauer et al. (2017), "Self-Normalizing Neural Networks", NIPS, section 2.
-- @classmod nn.AlphaDropout
local channelDropout, noises = require 'nn.support.channelDropout', require 'nn.support.noises'

return channelDropout('nn.AlphaDropout', noises.alphaFormula, noises.alphaNumbers)
