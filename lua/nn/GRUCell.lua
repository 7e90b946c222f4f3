--- One step of nn.GRU: x, or {x, h}, to h. See nn.recurrent.cells.
-- @classmod nn.GRUCell
local torch = require 'torch'

return (require 'nn.recurrent.cells'('nn.GRUCell', 3, 1, function(_, fromInput, fromState, h)
  return (torch.gru_cell(fromInput, fromState, h))
end))
