--- The inputs of an op in a sample for which sweeps compute gradients: its float tensors, without arguments that the op lists as constants.
-- @module autograd.sweep.sample_inputs
local rules, torch = require 'autograd.rules', require 'torch'
local kindOf = require('torch.sweep.elements').kind
local samples = require 'torch.sweep.samples'

local sampleInputs = {}

--- Returns whether an op has a derivative to test: the rules `zero`, `none` and `refuse` define none.
-- @tparam table op as described in torch.sweep.op
function sampleInputs.hasDerivative(op)
  local rule = rules[op.name]
  return op.info.differentiable and not (type(rule) == 'table' and rule.kind)
end

--- Returns the arguments of a sample with each input replaced, and the number of inputs.
-- @tparam table op as described in torch.sweep.op
-- @tparam table sample
-- @string kind the type of inputs, such as 'torch.DoubleTensor'
-- @tparam function replace its arguments are an input and its number
function sampleInputs.map(op, sample, kind, replace)
  local count, constants = 0, op.constants or {}
  local arguments = samples.map(sample, function(x, _, position)
    if kindOf(x) ~= kind or constants[position] then return x end
    count = count + 1
    return replace(x, count)
  end)
  return arguments, count
end

--- Returns the arguments of a sample with its inputs, or only number `only`, changed; and the number of inputs.
function sampleInputs.changed(op, sample, kind, change, only)
  return sampleInputs.map(op, sample, kind, function(x, i) return (not only or only == i) and change(x) or x end)
end

--- Returns the list of inputs of a sample.
function sampleInputs.of(op, sample, kind)
  local list = {}
  sampleInputs.map(op, sample, kind, function(x, i)
    list[i] = x
    return x
  end)
  return list
end

--- Returns the results of a call with other inputs. An op on symmetric matrices gets their symmetric parts.
-- @tparam table op as described in torch.sweep.op
-- @tparam table sample
-- @string kind the type of inputs
-- @tparam table xs the inputs
function sampleInputs.call(op, sample, kind, xs)
  local arguments = sampleInputs.map(op, sample, kind, function(_, i)
    return op.symmetric and torch.mul(torch.add(xs[i], torch.transpose(xs[i], -2, -1)), 0.5) or xs[i]
  end)
  -- An op that always writes to its first argument gets a copy.
  if op.info.method == 'alwaysInPlace' then arguments[1] = arguments[1]:clone() end
  return op.call(unpack(arguments, 1, arguments.n))
end

return sampleInputs
