--- The tape's record of a tensor, shown only in a session: programs that print tensors get Torch7's text.
-- @module trepl.tape

--- A text to write after a tensor's type and sizes.
-- @tparam torch.Tensor x
-- @treturn string empty for a tensor that is not on the tape
local function onTape(x)
  local n = package.loaded['autograd.node'] and require('libmoontorch').node(x)
  if not n then return '' end
  local node = require 'autograd.node'
  return node.isLeaf(n) and ', requires a gradient' or ', has a node: ' .. node.name(n)
end

return onTape
