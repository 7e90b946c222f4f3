--- A node: what produced a tracked tensor, as one small array that hangs on the tensor.
--
-- Nodes point to the nodes of their inputs and to the tensors that their rule needs, and a tensor to its node: edges that the collector
-- sees, so that a graph goes with its loss. The layout is an array of at most 15 slots because LuaJIT allocates such a table
-- in one piece; it is written out where speed counts.
--
--     1 number     in order of recording: every input's is smaller. 0 for a leaf
--     2 variant    the op's rule for the inputs that are tracked (see variant.lua)
--     3 gradient   pending in a backward pass, else false
--     4 owned      true when no other than the pass knows the pending gradient's tensor, which is let go when the node is done
--     5 hooks      list of functions, or false
--     6 result     kept for the rule, or false
--     7 version    of the result when it was kept
--     then, for argument i of the op:
--     5 + 3i edge      its node, or nil; a list of nodes where the argument is a list of tensors
--     6 + 3i value     kept for the rule, or nil
--     7 + 3i version   of the value, where it is a tensor
--
-- A node has the field `transient`, its result, when nothing but the graph knows that: it goes with the node (see nn.Sequential). A
-- view's node has the field `view` (see view.lua). A leaf keeps its tensor in slot 6 and its gradient in slot 7.
-- @module autograd.node
local LEAF = { name = 'leaf', leaf = true }

--- The node of a tensor that wants a gradient of its own.
local function leaf(x) return { 0, LEAF, false, false, false, x, false } end

--- The tape's counter of nodes; `last` is the newest one's number.
local clock = { last = 0 }

local function nextNumber()
  local number = clock.last + 1
  clock.last = number
  return number
end

return { leaf = leaf, LEAF = LEAF, clock = clock, nextNumber = nextNumber }
