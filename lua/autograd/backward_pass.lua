--- The backward pass over the tape, which the binding runs (bindings/lua/tape/backward.cpp): it visits the nodes from the newest to the
-- oldest. Each node has its complete gradient then, and passes gradients to its inputs.
-- @module autograd.backward_pass
local C = require 'libmoontorch'
local torch, rethrow, mode, node = require 'torch', require 'torch.start.rethrow', require 'autograd.mode', require 'autograd.node'

-- Lua functions that a pass calls: ops that it may have to record, and the handling of errors.
local helpers = {
  add = torch.add,
  to = require 'autograd.in_kind',
  show = function(into, g) mode.noGrad(into.copy, into, C.detach(g)) end,
  withRows = function(rows, g) return torch.add(g, rows:toDense()) end,
  refuseReleased = node.refuseReleased,
  handler = rethrow.remember,
  raise = rethrow.raise,
}

--- Runs a backward pass from some nodes.
-- @function backwardPass
-- @tparam {table,...} roots nodes
-- @tparam {Tensor,...} gradients of the roots
-- @tparam[opt] table options
-- retain: keep the saved tensors for another pass;
-- create: record the pass itself, for gradients of gradients;
-- current: use the current elements of saved tensors, even after changes in place;
-- wanted: the nodes whose gradients are wanted, as keys with values false, which become the gradients; no leaf accumulates then;
-- needed: the nodes to run, as keys;
-- since: instead of `needed`, the number of a node: nodes up to it don't run, wanted or not;
-- partial: the gradients of the wanted leaves are incomplete, so that no hook receives them
local backwardPass = C.backwardWith(helpers)

return backwardPass
