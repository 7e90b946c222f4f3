--- Layers of long short-term memory over sequences: nn.LSTM(inputSize, size [, options]).
-- i, f, o = sigmoid, g = tanh of W x + b + U h + d, with separate parts of the weights; c = f c + i g; h = o tanh(c). States: h, c.
-- Shapes, options and parameters: see nn.recurrent.layers; the parts of the weights are in the order i, f, g, o.
-- Source: Hochreiter & Schmidhuber (1997), "Long Short-Term Memory", Neural Computation 9.
-- @classmod nn.LSTM
local torch = require 'torch'
local sequences = require 'nn.recurrent.sequences'

return (require 'nn.recurrent.layers'('nn.LSTM', 4, 2, function(_, x, start, p, reverse)
  local bias = p.biasInput and torch.add(p.biasInput, p.biasState)
  return sequences.lstm(x, start[1], start[2], { wInput = p.weightInput, wState = p.weightState, bias = bias }, reverse)
end))
