--- Tensors and nodes in nested tables: `nngraph.nest`, and the functions that packages based on nngraph call by `require
-- 'nngraph.nesting'`.
-- @module nngraph.nesting
local torch, check = require 'torch', require 'torch.check'
local nn, nngraph, nested = require 'nn', require 'nngraph', require 'nn.nested'

local nesting = {}

local function oneNode(nodes)
  if torch.isTypeOf(nodes, 'graph.Node') then return nodes end
  local kind = torch.type(nodes)
  if kind ~= 'table' or #nodes == 0 then
    check.raise(('nngraph.nest: nodes: %s, expected a node or nested lists of nodes'):format(kind == 'table' and 'a table of 0' or kind))
  end
  local parts = {}
  for i, entry in ipairs(nodes) do parts[i] = oneNode(entry) end
  if #parts == 1 then return nngraph.JustTable()(parts[1]) end
  return nn.Identity()(parts)
end

--- A node whose output is a table of the outputs of other nodes, nested as the given table is.
-- @function nngraph.nest
-- @tparam nngraph.Node|table nodes a node, which is returned itself, or lists of nodes, nested to any depth; each list has at least one
-- @treturn nngraph.Node
-- @usage nngraph.nest { a, { b, c } }      -- its output is { a's, { b's, c's } }
function nesting.nest(nodes) return oneNode(nodes) end

--- A copy of a tensor, or of tables of tensors.
-- @param object a tensor, or tables of tensors to any depth
-- @return the copy
function nesting.cloneNested(object)
  return nested.map(object, function(tensor) return tensor:clone() end)
end

--- Fills all tensors with a number.
-- @param object a tensor, or tables of tensors
-- @number value
function nesting.fillNested(object, value) nested.recursiveFill(object, value) end

--- Resizes the tensors of one value to the sizes of another's; tables get the other's entries.
-- @param output a tensor, or tables of tensors
-- @param input likewise
-- @return output
function nesting.resizeNestedAs(output, input) return (nested.recursiveResizeAs(output, input)) end

--- Copies the tensors of one value to another, which is resized.
-- @param output a tensor, or tables of tensors
-- @param input likewise
-- @return output
function nesting.copyNested(output, input) return (nested.recursiveCopy(output, input)) end

--- Adds the tensors of one value to those of another of the same structure.
-- @param output a tensor, or tables of tensors
-- @param input likewise
-- @return output
function nesting.addNestedTo(output, input) return (nested.recursiveAdd(output, 1, input)) end

return nesting
