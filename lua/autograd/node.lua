--- A node: the recorded call that produced a tracked tensor. The tensor refers to its node; the node refers to the nodes of its inputs and
-- to the tensors that its rule needs. The collector sees these edges, so that a graph is freed together with its loss.
--
-- The binding implements nodes (bindings/lua/tape/node.h). Its functions accept only nodes, and raise an error for any other value:
--
-- * `leaf(x)`: creates a node for a tensor that requires a gradient; `isLeaf(n)`; `tensor(n)`: returns this tensor
-- * `new(op, edge, value, ...)`: creates the node of a declared op (autograd.variant), with an edge and a saved value for each argument
-- * `ofFunction(name, backward, edges, count)`: creates the node of a call of a user's function with `count` arguments. edges[i] is the
--   node of argument i if that is tracked; backward(g) returns their gradients. `hang(n, results, count)` attaches the node to the results
-- * `anyTracked(...)`: whether an argument is a tracked tensor, or a list with one
-- * `number(n)`: position in the order of recording: greater than the number of every input; 0 for a leaf; `lastNumber()`
-- * `name(n)`: of the op, for messages; `line(n)`, `setLine(n, line)`: of the program that recorded it, if known
-- * `isView(n)`: the op's result may share memory with its first argument; then the field `view` describes the view, see autograd.view
-- * `gradient(n)`, `setGradient(n, g)`, and `gradientOf(x)`, by a tensor's node: the gradient that backward passes stored at a leaf, or at
--   a result with retainGrad; the field `sink` of a leaf is the program's tensor for this gradient, see autograd.sink
-- * `arity(n)`: number of arguments that may have edges; `edge(n, i)`: the node of argument i, a list of nodes if the argument is a list of
--   tensors, or nil if it is not tracked; `edges(n, list)`: stores all nodes that receive a gradient from n in the list; returns their
--   number
-- * `kept(n, i)`: what the rule saves of argument i, or of the result (0)
-- * `isReleased(n)`: a backward pass visited the node, and its saved values are freed
-- * `owner(n)`: the op's node if n represents one of several results
-- * `addHook(n, f)`, `removeHook(n, f)`: functions that receive the complete gradient in a backward pass
-- * `setTransient(n, x)`: only the graph refers to x, the result; it is freed when a backward pass has visited the node
-- * `onPaths(roots, wanted)`: the nodes on paths from the roots to wanted nodes, as keys; and a released node that may have been on such a
--   path
-- * `hangsOnLeaves(n)`: all tracked arguments are leaves, and none has hooks; `gradientBy(n, i, g)` returns the gradient by each. Changes
--   of saved tensors are not detected
-- @module autograd.node
local C = require 'libmoontorch'

local node = C.nodes()

--- Raises the error that a backward pass has already visited the node and freed its saved values.
function node.refuseReleased(n)
  local what = 'this part of the graph was released by an earlier backward; give that one retainGraph=true'
  require('torch.check').raise(node.name(n) .. ': backward: ' .. what)
end

return node
