--- What the tape knows of a tensor: shown in a session, where Torch7's text of it is no program's matter.
-- @module trepl.tape

--- In words, to stand behind a tensor's type and sizes.
-- @tparam torch.Tensor x
-- @treturn string empty of a tensor that no tape knows
local function onTape(x)
  local n = package.loaded['autograd.node'] and require('libmoontorch').node(x)
  if not n then return '' end
  local node = require 'autograd.node'
  return node.isLeaf(n) and ', requires a gradient' or ', has a node: ' .. node.name(n)
end

return onTape
