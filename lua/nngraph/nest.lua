--- Tables of nodes as one node.
-- @module nngraph
local torch, check = require 'torch', require 'torch.check'
local nn, nngraph = require 'nn', require 'nngraph'

local nesting = {}

local function nested(nodes)
  if torch.isTypeOf(nodes, 'graph.Node') then return nodes end
  if type(nodes) ~= 'table' or torch.typename(nodes) or #nodes == 0 then
    check.raise(('nngraph.nest: nodes: %s, expected a node or nested lists of nodes'):format(torch.type(nodes) == 'table' and 'a table of 0'
      or torch.type(nodes)))
  end
  local parts = {}
  for i, entry in ipairs(nodes) do parts[i] = nested(entry) end
  if #parts == 1 then return nngraph.JustTable()(parts[1]) end
  return nn.Identity()(parts)
end

--- A node whose output is a table of the outputs of other nodes, nested as the given table is.
-- @function nngraph.nest
-- @tparam nngraph.Node|table nodes a node, which is returned itself, or lists of nodes, nested to any depth; each list has at least one
-- @treturn nngraph.Node
-- @usage nngraph.nest { a, { b, c } }      -- its output is { a's, { b's, c's } }
function nesting.nest(nodes) return nested(nodes) end

return nesting
