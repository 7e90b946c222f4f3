--- A node: what produced a tracked tensor, as one small array that hangs on the tensor.
--
-- Nodes point to the nodes of their inputs and to the tensors that their rule needs, and a tensor to its node: edges that the collector
-- sees, so that a graph goes with its loss. The layout is an array of at most 15 slots because LuaJIT allocates such a table
-- in one piece; it is written out where speed counts.
--
--     0 transient  the result, when nothing but the graph knows it: it goes with the node (see nn.Sequential); else nil
--     1 number     in order of recording: every input's is smaller. 0 for a leaf
--     2 variant    the op's rule for the inputs that are tracked (see variant.lua)
--     3 gradient   pending in a backward pass: a tensor, or its place in a plain walk (bindings/lua/pass.h); else false or nil
--     4 owned      true when no other than the pass knows the pending gradient's tensor, which is let go when the node is done
--     5 hooks      list of functions, or false or nil
--     6 result     kept for the rule, or false or nil
--     7 version    of the result when it was kept
--     then, for argument i of the op:
--     5 + 3i edge      its node, or nil; a list of nodes where the argument is a list of tensors
--     6 + 3i value     kept for the rule, or nil
--     7 + 3i version   of the value, where it is a tensor
--
-- Ordinary nodes are made by the binding (bindings/lua/recording.cpp), the others by tape.lua. A view's node that was made in Lua has the
-- field `view` (see view.lua). A leaf keeps its tensor in slot 6 and its gradient in slot 7, which a field `sink`
-- names where it is a tensor of the program's (see sink.lua).
-- @module autograd.node
local C = require 'libmoontorch'

local LEAF = { name = 'leaf', leaf = true }

--- The node of a tensor that wants a gradient of its own.
local function leaf(x) return { 0, LEAF, false, false, false, x, false } end

--- Raises that a node has been walked, and that what it kept is gone.
local function refuseReleased(n)
  local what = 'this part of the graph was released by an earlier backward; give that one retainGraph=true'
  require('torch.expect').refuse(n[2].name .. ': backward: ' .. what)
end

return { leaf = leaf, LEAF = LEAF, refuseReleased = refuseReleased, nextNumber = C.nextNodeNumber, lastNumber = C.lastNodeNumber }
