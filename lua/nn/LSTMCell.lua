--- One step of nn.LSTM: x, or {x, h, c}, to {h, c}. See nn.recurrent.cells.
-- @classmod nn.LSTMCell
local torch = require 'torch'

return (require 'nn.recurrent.cells'('nn.LSTMCell', 4, 2, function(_, fromInput, fromState, _, c)
  local h, cell = torch.lstm_cell(torch.add(fromInput, fromState), c)
  return { h, cell }
end))
