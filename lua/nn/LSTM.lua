--- Layers of long short-term memory over sequences.
-- i, f, o = sigmoid, g = tanh of W x + b + U h + d, with separate parts of the weights; c = f c + i g; h = o tanh(c), or P o tanh(c) with
-- projSize. States: h, c. The parts of the weights are in the order i, f, g, o. Shapes, states and lengths: see nn.RNNBase.
-- Sources: Hochreiter & Schmidhuber (1997), "Long Short-Term Memory", Neural Computation 9; for the projection Sak, Senior & Beaufays
-- (2014), "Long Short-Term Memory Based Recurrent Neural Network Architectures for Large Vocabulary Speech Recognition", arXiv:1402.1128.
-- @classmod nn.LSTM
local torch = require 'torch'
require 'nn'

local LSTM, parent = torch.class('nn.LSTM', 'nn.RNNBase')
LSTM.__givesWay, LSTM.mode = true, 'LSTM'

--- @tparam int inputSize
-- @tparam int hiddenSize of the state
-- @tparam[opt=1] int numLayers
-- @tparam[opt=true] bool bias
-- @tparam[opt=false] bool batchFirst x is (N, T, inputSize)
-- @tparam[opt=0] number dropout of the outputs between layers, in training
-- @tparam[opt=false] bool bidirectional
-- @tparam[opt=0] int projSize size of a learnt projection of h, smaller than hiddenSize; 0 for none
function LSTM:__init(inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional, projSize)
  parent.__init(self, 'LSTM', inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional, projSize)
end

return require('nn.support.options').install(LSTM)
