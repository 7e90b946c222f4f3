--- Lua functions that the binding's recorder (bindings/lua/tape/recording.cpp) calls; and functions that the tape records as one op.
-- @module autograd.tape
local C = require 'libmoontorch'
local torch, rethrow = require 'torch', require 'torch.start.rethrow'
local rules, variant, view, write = require 'autograd.rules', require 'autograd.variant', require 'autograd.view', require 'autograd.write'
local anyTracked = require('autograd.node').anyTracked

local tape = {}

-- The node of an argument that was broadcast: its gradient is summed to the argument's size.
local broadcast = variant.makeOp('broadcast', { 'expand_grad(g, size(x))' }, { arguments = { 'x' }, results = 1, like = 'expand' })

-- Converts a gradient to the dtype and the device of an argument that was converted.
local conversion = variant.makeOp('conversion', {
  arguments = { 'x', 'kind' },
  rules.saving('kind', require 'autograd.in_kind'),
})

-- Represents a view before a write: later changes of the base don't affect it.
local overwriting = variant.makeOp('before a write', { arguments = { 'x' }, function(g) return g end })

C.setRecorder {
  variant = variant.declare, refresh = view.refresh, describe = view.note,
  conj = torch.conj,
  before = write.before, rebase = write.rebase, follow = write.follow,
  broadcast = broadcast.handle, conversion = conversion.handle, overwriting = overwriting.handle,
}

--- Creates an op from a Lua function; the tape records it as one node.
-- @tparam string name for messages
-- @tparam function forward returns a new tensor; its ops are not recorded
-- @param rule as in autograd.rules
-- @treturn function
function tape.declare(name, forward, rule)
  local op = variant.makeOp(name, rule).handle
  return function(...)
    local mode, precision = C.gradMode(false), C.autocast(false)
    local ok, y = rethrow.call(forward, ...)
    C.gradMode(mode)
    if precision then C.autocast(precision) end
    if not ok then rethrow.raise(y) end
    if mode and anyTracked(...) then C.record(op, 1, y, ...) end
    return y
  end
end

return tape
