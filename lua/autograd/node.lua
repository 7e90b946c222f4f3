--- A node: what produced a tracked tensor. It hangs on the tensor, points to the nodes of its inputs and to the tensors that its rule
-- needs: edges that the collector sees, so that a graph goes with its loss.
--
-- What a node holds is the binding's business (bindings/lua/node.h), which takes nodes alone, and refuses anything else:
--
-- * `leaf(x)`: a new node for a tensor that wants a gradient of its own; `isLeaf(n)`; `tensor(n)`: which tensor that is
-- * `number(n)`: in order of recording, every input's is smaller; 0 for a leaf; `nextNumber()`, `lastNumber()`
-- * `name(n)`: of the op, for messages; `isView(n)`: its result may share memory with its first argument
-- * `gradient(n)`, `setGradient(n, g)`: what backward passes left at a leaf, or at a result that keeps its gradient
-- * `edge(n, i)`: the node of argument i, or a list of nodes where that is a list of tensors; nil where it is not tracked
-- * `edges(n, list)`: puts all nodes that n's gradient goes to into the list; how many they are
-- * `kept(n, i)`: what the rule keeps of argument i, or of the result (0)
-- * `isReleased(n)`: it has been walked, and what it kept is gone
-- * `owner(n)`: the op's node where n stands for one of several results
-- * `addHook(n, f)`, `removeHook(n, f)`: functions that see the complete gradient in a backward pass
-- * `setTransient(n, x)`: x, the result, is known to the graph alone, and goes when the node has been walked
-- * `arity(n)`: number of arguments that may have edges; `hangsOnLeaves(n)`: all of them are leaves, and n can be run by itself
-- * `gradientBy(n, i, g)`: the gradient by argument i that the rule makes of the result's; nothing is checked against changes
-- * `onPaths(roots, wanted)`: the nodes on some path from the roots to wanted ones, as keys; and a node where one may have been: released
-- @module autograd.node
local C = require 'libmoontorch'

local node = C.nodes

node.nextNumber, node.lastNumber = C.nextNodeNumber, C.lastNodeNumber

--- Raises that a node has been walked, and that what it kept is gone.
function node.refuseReleased(n)
  local what = 'this part of the graph was released by an earlier backward; give that one retainGraph=true'
  require('torch.check').raise(node.name(n) .. ': backward: ' .. what)
end

function node.arity(n) return n[2].arity end

function node.hangsOnLeaves(n)
  local rule = n[2]
  if not rule.usual or n.arguments or rule.view or rule.leaf then return false end
  for i = 1, rule.last do
    if rule[i] and not node.isLeaf(n[5 + 3 * i]) then return false end
  end
  return true
end

function node.gradientBy(n, i, g)
  local f = n[2][i]
  return f and f(g, n[6], n[9], n[12], n[15])
end

return node
