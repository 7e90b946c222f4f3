--- Creates tensors of positions.
-- @module torch.names.positions
local torch = require 'torch'

--- Returns a LongTensor with the numbers of a list, or one itself, on the device of another tensor. Graphs record no conversion on the CPU.
-- @tparam {int,...}|torch.LongTensor list
-- @tparam torch.Tensor x
-- @treturn torch.LongTensor
return function(list, x)
  local places, device = torch.LongTensor(list), x:device()
  return device == places:device() and places or places:to(device)
end
