--- Layers of plain recurrence over sequences: nn.RNN(inputSize, size [, options]).
-- h = tanh(W x + b + U h + d), or relu with the option nonlinearity = 'relu'. State: h. Shapes, options and parameters: see
-- nn.recurrent.layers.
-- Source: Elman (1990), "Finding Structure in Time", Cognitive Science 14.
-- @classmod nn.RNN
local torch = require 'torch'
local sequences = require 'nn.recurrent.sequences'

return (require 'nn.recurrent.layers'('nn.RNN', 1, 1, function(module, x, start, p, reverse)
  local bias = p.biasInput and torch.add(p.biasInput, p.biasState)
  local f = module.nonlinearity == 'relu' and torch.relu or torch.tanh
  return sequences.plain(x, start[1], { wInput = p.weightInput, wState = p.weightState, bias = bias }, reverse, f)
end, true))
