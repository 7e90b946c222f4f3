--- One step of nn.GRU: x, or {x, h}, to h. See nn.recurrentCells.
-- @classmod nn.GRUCell
local torch = require 'torch'

return (require 'nn.recurrentCells'('nn.GRUCell', 3, 1, function(_, fromInput, fromState, h)
  return (torch.gru_cell(fromInput, fromState, h))
end))
