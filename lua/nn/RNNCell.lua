--- One step of nn.RNN: x, or {x, h}, to h. See nn.recurrent.cells.
-- @classmod nn.RNNCell
local torch = require 'torch'

return (require 'nn.recurrent.cells'('nn.RNNCell', 1, 1, function(cell, fromInput, fromState)
  local sum = torch.add(fromInput, fromState)
  return cell.nonlinearity == 'relu' and torch.relu(sum) or torch.tanh(sum)
end, true))
