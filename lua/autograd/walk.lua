--- The backward pass along the tape, which the binding runs (bindings/lua/tape/backward.cpp): each node gets its complete gradient,
-- newest first, and gives its inputs theirs.
-- @module autograd.walk
local C = require 'libmoontorch'
local torch, rethrow, mode, node = require 'torch', require 'torch.start.rethrow', require 'autograd.mode', require 'autograd.node'

-- What a pass calls in Lua: ops that it may have to record, and errors on their way through it.
local helpers = {
  add = torch.add,
  to = torch.to,
  show = function(into, g) mode.noGrad(into.copy, into, C.detach(g)) end,
  refuseReleased = node.refuseReleased,
  handler = rethrow.remember,
  raise = rethrow.raise,
}

--- Runs a backward pass from some nodes.
-- @function walk
-- @tparam {table,...} roots nodes
-- @tparam {Tensor,...} gradients of the roots
-- @tparam[opt] table options
-- retain: keep what the rules need for another pass;
-- create: record the walk itself, for gradients of gradients;
-- current: take what was kept as it is now, changed in place or not;
-- wanted: the nodes whose gradients are wanted, as keys with values false, which become the gradients; no leaf accumulates then;
-- needed: the nodes worth running, as keys
-- since: in the place of `needed`, the number of a node; what was recorded up to it is not run, wanted or not
-- partial: the gradients of the wanted leaves are not their whole gradients, so that no hook sees them
local walk = C.walkWith(helpers)

return walk
