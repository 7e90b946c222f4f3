--- A function on a tape of its own, which its caller's does not see: the way of modules that say once what they compute.
-- Inputs are tracked aliases of what came; while the function runs, some tensors, its parameters, carry private leaves, and are as they
-- were afterwards. Backward passes take what was kept as it is then: changes since raise nothing.
-- @module autograd.private_tape
local C, torch = require 'libmoontorch', require 'torch'
local node, tape, walk = require 'autograd.node', require 'autograd.tape', require 'autograd.walk'
local noGrad = require('autograd.mode').noGrad

local getNode, gradMode, detach, sameSizes = C.node, C.gradMode, C.detach, C.sameSizes
local attachLeaves, leafAlias, restoreNodes = C.attachLeaves, C.leafAlias, C.restoreNodes
local addByRule = node.addByRule

local private = {}

--- A new tape: `inputs`, the leaves of its inputs, by position and by alias; `parameters`, those of the tensors in `covered`.
-- @tparam[opt] table former one of the same function, whose leaves serve again
-- @treturn table
function private.new(former) return { inputs = {}, parameters = former and former.parameters or {}, covered = {} } end

-- An alias that the function may even overwrite.
local passOn = tape.declare('private input', detach, function(g) return g end)

--- An alias of a tensor as an input of a tape; of integers, it is not tracked.
-- @tparam torch.Tensor tensor
-- @tparam table made the tape
-- @tparam boolean inplace whether the function may write over it
-- @treturn ?torch.Tensor nothing for what is no tensor
function private.input(tensor, made, inplace)
  local alias, leaf = leafAlias(tensor)
  if not leaf then return alias end
  local inputs = made.inputs
  inputs[#inputs + 1] = leaf
  if inplace then alias = passOn(alias) end
  inputs[alias] = leaf
  return alias
end

--- Calls a function on the tape.
-- @tparam table made the tape
-- @tparam {torch.Tensor,...} parameters
-- @tparam function f
-- @param ... its arguments
-- @return as pcall: whether all went well, and one result or the error
function private.call(made, parameters, f, ...)
  local previous = gradMode(true)
  local before = attachLeaves(parameters, made.parameters)
  made.covered = parameters
  local done, output = pcall(f, ...)
  restoreNodes(parameters, before)
  gradMode(previous)
  return done, output
end

-- The gradients of one op's leaves by its rule; nothing is recorded. Those of parameters are added to `sums` at once where they can be.
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

--- Gradients of what a function gave.
-- @tparam table made the tape
-- @tparam {torch.Tensor,...} outputs
-- @tparam {torch.Tensor,...} gradients by them, of their sizes; false where there is none
-- @bool byInputs whether those by the inputs are wanted
-- @bool byParameters likewise
-- @tparam[opt] {torch.Tensor,...} sums those by parameters are added there, where a single op's rule can do so, and are not given then
-- @treturn {leaf=torch.Tensor} by leaf; false or nil where the outputs don't depend on one
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
    walk(roots, starts, options)
    return wanted
  end
  -- Rules ask whether a parameter is tracked.
  local before = attachLeaves(made.covered, parameters)
  local done, message = pcall(walk, roots, starts, options)
  restoreNodes(made.covered, before)
  if not done then error(message, 0) end
  return wanted
end

return private
