--- Layers of gated recurrent units over sequences: nn.GRU(inputSize, size [, options]).
-- r, z = sigmoid of W x + b + U h + d; n = tanh(W x + b + r (U h + d)), with separate parts of the weights; h = n + z (h - n). State: h.
-- Shapes, options and parameters: see nn.recurrent.layers; the parts of the weights are in the order r, z, n.
-- Source: Cho et al. (2014), "Learning Phrase Representations using RNN Encoder-Decoder", EMNLP.
-- @classmod nn.GRU
local sequences = require 'nn.recurrent.sequences'

return (require 'nn.recurrent.layers'('nn.GRU', 3, 1, function(_, x, start, p, reverse)
  local parameters = { wInput = p.weightInput, wState = p.weightState, bias = p.biasInput, stateBias = p.biasState }
  return sequences.gru(x, start[1], parameters, reverse)
end))
