--- A node: what produced a tracked tensor. It hangs on the tensor, points to the nodes of its inputs and to the tensors that its rule
-- needs: edges that the collector sees, so that a graph goes with its loss.
--
-- What a node holds is the binding's business (bindings/lua/tape/node.h), which takes nodes alone, and refuses anything else:
--
-- * `leaf(x)`: a new node for a tensor that wants a gradient of its own; `isLeaf(n)`; `tensor(n)`: which tensor that is
-- * `new(op, edge, value, ...)`: the node of a declared op (autograd.variant), with an edge and what is kept of each argument
-- * `ofFunction(name, backward, edges, count)`: of a call of a program's own function of `count` arguments, of which edges[i] is the node,
--   if it is tracked; backward(g) gives their gradients. `hang(n, results, count)` hangs it on the results
-- * `anyTracked(...)`: whether one of these is a tracked tensor, or a list with one
-- * `number(n)`: in order of recording, every input's is smaller; 0 for a leaf; `lastNumber()`
-- * `name(n)`: of the op, for messages; `line(n)`, `setLine(n, line)`: of the program that recorded it, where that is known
-- * `isView(n)`: the op's result may share memory with its first argument; the field `view` then tells how it was made, see autograd.view
-- * `gradient(n)`, `setGradient(n, g)`, and `gradientOf(x)`, of a tensor's node: what backward passes left at a leaf, or at a result that
--   keeps its gradient; the field `sink` of a leaf is the program's tensor for it, see autograd.sink
-- * `arity(n)`: number of arguments that may have edges; `edge(n, i)`: the node of argument i, or a list of nodes where that is a list of
--   tensors, nil where it is not tracked; `edges(n, list)`: puts all nodes that n's gradient goes to into the list; how many they are
-- * `kept(n, i)`: what the rule keeps of argument i, or of the result (0)
-- * `isReleased(n)`: it has been walked, and what it kept is gone
-- * `owner(n)`: the op's node where n stands for one of several results
-- * `addHook(n, f)`, `removeHook(n, f)`: functions that see the complete gradient in a backward pass
-- * `setTransient(n, x)`: x, the result, is known to the graph alone, and goes when the node has been walked
-- * `onPaths(roots, wanted)`: the nodes on some path from the roots to wanted ones, as keys; and a node where one may have been: released
-- * `hangsOnLeaves(n)`: all tracked arguments are leaves, and `gradientBy(n, i, g)` gives the gradient by each; nothing is checked against
--   changes of what is kept
-- @module autograd.node
local C = require 'libmoontorch'

local node = C.nodes()

--- Raises that a node has been walked, and that what it kept is gone.
function node.refuseReleased(n)
  local what = 'this part of the graph was released by an earlier backward; give that one retainGraph=true'
  require('torch.check').raise(node.name(n) .. ': backward: ' .. what)
end

return node
