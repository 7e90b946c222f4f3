--- Layers of gated recurrent units over sequences.
-- r, z = sigmoid of W x + b + U h + d; n = tanh(W x + b + r (U h + d)), with separate parts of the weights; h = n + z (h - n). State: h.
-- The parts of the weights are in the order r, z, n. Shapes, states and lengths: see nn.RNNBase.
-- Source: Cho et al. (2014), "Learning Phrase Representations using RNN Encoder-Decoder", EMNLP.
-- @classmod nn.GRU
local torch = require 'torch'
require 'nn'

local GRU, parent = torch.class('nn.GRU', 'nn.RNNBase')
GRU.__givesWay, GRU.mode = true, 'GRU'

--- @tparam int inputSize
-- @tparam int hiddenSize of the state
-- @tparam[opt=1] int numLayers
-- @tparam[opt=true] bool bias
-- @tparam[opt=false] bool batchFirst x is (N, T, inputSize)
-- @tparam[opt=0] number dropout of the outputs between layers, in training
-- @tparam[opt=false] bool bidirectional
function GRU:__init(inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional)
  parent.__init(self, 'GRU', inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional)
end

return require('nn.support.options').install(GRU)
