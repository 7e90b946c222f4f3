--- Runs a function on a separate tape that the caller's tape doesn't see: for modules that declare their computation once.
-- Inputs are tracked aliases of the caller's tensors. While the function runs, some tensors (its parameters) have private leaves;
-- afterwards they get their former nodes back. Backward passes use the current elements of saved tensors: changes in place raise no error.
-- @module autograd.private_tape
local C, torch = require 'libmoontorch', require 'torch'
local node, tape, backwardPass = require 'autograd.node', require 'autograd.tape', require 'autograd.backward_pass'
local noGrad = require('autograd.mode').noGrad

local getNode, gradMode, detach, sameSizes = C.node, C.gradMode, C.detach, C.sameSizes
local attachLeaves, leafAlias, restoreNodes = C.attachLeaves, C.leafAlias, C.restoreNodes
local addByRule = node.addByRule

local private = {}

--- Creates a tape: `inputs` has the leaves of its inputs, by position and by alias; `parameters` has those of the tensors in `covered`.
-- @tparam[opt] table former a tape of the same function, whose leaves are reused
-- @treturn table
function private.new(former) return { inputs = {}, parameters = former and former.parameters or {}, covered = {} } end

-- Returns an alias that the function may even overwrite.
local passOn = tape.declare('private input', detach, function(g) return g end)

--- Creates an alias of a tensor as an input of a tape; an alias of integers is not tracked.
-- @tparam torch.Tensor tensor
-- @tparam table made the tape
-- @tparam boolean inplace whether the function may overwrite it
-- @treturn ?torch.Tensor nil if the value is not a tensor
function private.input(tensor, made, inplace)
  local alias, leaf = leafAlias(tensor)
  if not leaf then return alias end
  local inputs = made.inputs
  inputs[#inputs + 1] = leaf
  if inplace then alias = passOn(alias) end
  inputs[alias] = leaf
  return alias
end

local running = 0

--- Returns whether a function runs on such a tape.
function private.isRunning() return running > 0 end

--- Calls a function on the tape.
-- @tparam table made the tape
-- @tparam {torch.Tensor,...} parameters
-- @tparam function f
-- @param ... its arguments
-- @return as pcall: whether the call succeeded, and one result or the error
function private.call(made, parameters, f, ...)
  local previous = gradMode(true)
  local before = attachLeaves(parameters, made.parameters)
  made.covered = parameters
  running = running + 1
  local done, output = pcall(f, ...)
  running = running - 1
  restoreNodes(parameters, before)
  gradMode(previous)
  return done, output
end

-- Returns the gradients by the leaves of a single op, from its rule; nothing is recorded. Adds those by parameters directly to `sums` if
-- possible.
local function byRule(made, root, g, wanted, sums)
  local parameters, found = made.parameters, {}
  for i = 1, node.arity(root) do
    local leaf = node.edge(root, i)
    if leaf and wanted[leaf] ~= nil then
      local sum
      for k = 1, sums and #parameters or 0 do
        if leaf == parameters[k] then sum = sums[k] end
      end
      if not (sum and sameSizes(sum, node.tensor(leaf)) and addByRule(root, i, g, sum)) then
        local gradient = node.gradientBy(root, i, g)
        found[leaf] = found[leaf] and torch.add(found[leaf], gradient) or gradient
      end
    end
  end
  return found
end

--- Returns gradients of the function's outputs.
-- @tparam table made the tape
-- @tparam {torch.Tensor,...} outputs
-- @tparam {torch.Tensor,...} gradients by the outputs, of the same sizes; false for none
-- @bool byInputs whether gradients by the inputs are wanted
-- @bool byParameters whether gradients by the parameters are wanted
-- @tparam[opt] {torch.Tensor,...} sums receives the gradients by parameters if the rule of a single op can add them there; they are not
--   returned then
-- @treturn {leaf=torch.Tensor} by leaf; false or nil if the outputs don't depend on it
function private.gradients(made, outputs, gradients, byInputs, byParameters, sums)
  local wanted, inputs, parameters = {}, made.inputs, made.parameters
  local inputCount, parameterCount = byInputs and #inputs or 0, byParameters and #parameters or 0
  for i = 1, inputCount do wanted[inputs[i]] = false end
  for i = 1, parameterCount do wanted[parameters[i]] = false end
  if inputCount + parameterCount == 0 then return wanted end
  local roots, starts = {}, {}
  for i = 1, #outputs do
    local root = getNode(outputs[i])
    if root and gradients[i] then roots[#roots + 1], starts[#starts + 1] = root, gradients[i] end
  end
  if #roots == 1 and #outputs == 1 and node.hangsOnLeaves(roots[1]) then
    if C.autocast() then return torch.autocast.off(noGrad, byRule, made, roots[1], starts[1], wanted, sums) end
    return noGrad(byRule, made, roots[1], starts[1], wanted, sums)
  end
  local all = (byInputs or #inputs == 0) and (byParameters or #parameters == 0)
  local options = { retain = true, current = true, wanted = wanted, needed = not all and node.onPaths(roots, wanted) or nil }
  if not byParameters then
    backwardPass(roots, starts, options)
    return wanted
  end
  -- Rules query whether a parameter is tracked.
  local before = attachLeaves(made.covered, parameters)
  local done, message = pcall(backwardPass, roots, starts, options)
  restoreNodes(made.covered, before)
  if not done then error(message, 0) end
  return wanted
end

return private
