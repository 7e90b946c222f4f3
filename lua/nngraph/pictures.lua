--- Networks on the screen.
-- @module nngraph
local check = require 'torch.check'

local pictures = {}

--- Shows the graph of a network, or prints it in Graphviz's language if there is no screen.
-- @function nngraph.display
-- @tparam nn.gModule net
function pictures.display(net)
  local fg = type(net) == 'table' and net.fg
  if not fg then check.raise(('nngraph.display: net: %s, expected an nn.gModule'):format(require 'torch'.type(net))) end
  require 'graph'.dot(fg, net.name or 'nn.gModule')
end

return pictures
