--- Less memory for networks: `optnet.optimizeMemory(net, input)`, in the interface of fmassa's package optnet.
-- During a pass, results are freed after their last use; Torch7's package let them share memory instead. Outputs, and in training
-- gradients, do not change.
-- @module optnet
-- @usage local optnet = require 'optnet'
-- net:evaluate()
-- optnet.optimizeMemory(net, input, { mode = 'inference' })
-- local output = net:forward(input)
-- optnet.removeOptimization(net)              -- before the network is trained or saved
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'
require 'nn'
local nested, trace, plan, storages = require 'nn.nested', require 'optnet.trace', require 'optnet.plan', require 'optnet.storages'
local gradients, turnInplaceOn = require 'optnet.gradients', require 'optnet.inplace'

local optnet = {}

local modes = { inference = true, training = true }

local function optionsOf(opts)
  if opts ~= nil and type(opts) ~= 'table' then
    error(('optnet.optimizeMemory: opts: a %s, expected a table'):format(torch.type(opts)), 3)
  end
  local options = { mode = 'inference', inplace = true, reuseBuffers = true, removeGradParams = true }
  for name, value in pairs(opts or {}) do options[name] = value end
  if not modes[options.mode] then
    error(("optnet.optimizeMemory: opts.mode: %s, expected 'inference' or 'training'"):format(tostring(options.mode)), 3)
  end
  return options
end

local function checkNet(where, net)
  if not torch.isTypeOf(net, 'nn.Module') then error(('%s: net: a %s, expected a module'):format(where, torch.type(net)), 3) end
end

local function hasUnpooling(net)
  for _, module in ipairs(net:listModules()) do
    if torch.type(module):find 'MaxUnpooling' then return true end
  end
  return false
end

local results = { 'output', 'gradInput' }
local isResult = { output = true, gradInput = true }

-- Memory that is not freed: the program's, the result, and other fields of modules, including parameters.
local function keptBy(net, field, ...)
  local keep = storages.of { net[field], ... }
  net:apply(function(module)
    for name, value in pairs(module) do
      if not isResult[name] and torch.isTensor(value) then storages.of(value, keep) end
    end
  end)
  return keep
end

-- Replaces the results of passes by new empty tensors, since the results may belong to the program: nn.Identity's output is its input.
local function emptyResults(net)
  net:apply(function(module)
    for _, name in ipairs(results) do
      module[name] = nested.map(module[name], function(tensor) return tensor.new() end)
    end
  end)
end

local function modulesOf(events)
  local modules = {}
  for i, event in ipairs(events) do modules[i] = event.module end
  return modules
end

--- Reduces the memory of a network's passes, in place. It runs the network on the input: forward, and in training also backward with the
-- output as gradOutput, so gradients of parameters, statistics of batch normalisation and the like change. The state of the random
-- generator does not change. For inference a module's output is freed after its last use: after forward only the result exists. The
-- backward methods raise an error. In training the same applies to gradInputs; outputs stay. Later passes may have other batch sizes. A
-- second call prints that it is skipped.
-- @tparam nn.Module net
-- @param input its input
-- @tparam[opt] table opts mode = 'inference' (the default) or 'training'; inplace = true: modules overwrite their input if that changes no
-- result; reuseBuffers = true: for inference, buffers for backward are freed too; removeGradParams = true: for inference, gradients of
-- parameters are freed, and getParameters raises an error
-- @raise if net is no module, or for another mode
function optnet.optimizeMemory(net, input, opts)
  checkNet('optnet.optimizeMemory', net)
  local options = optionsOf(opts)
  if net.__memoryOptimized then
    print(('Skipping memory optimization. Network is already optimized for %s mode.'):format(net.__memoryOptimized))
    return
  end
  local isTraining = options.mode == 'training'
  local random = torch.getRNGState()
  if options.inplace then turnInplaceOn(net, input, options.mode) end
  local field, method = 'output', 'updateOutput'
  local output, events
  if isTraining then
    field, method = 'gradInput', 'backward'
    output = nested.map(net:forward(input), function(tensor) return torch.noGrad(tensor.clone, tensor) end)
    events = trace.record(net, method, field, function() net:backward(input, output) end)
  else
    events = trace.record(net, method, field, function() net:forward(input) end)
  end
  torch.setRNGState(random)
  local made = {
    field = field, events = modulesOf(events), releases = trace.releases(events, keptBy(net, field, input, output)),
    drops = not isTraining and options.reuseBuffers and not hasUnpooling(net),
  }
  emptyResults(net)
  local removes = not isTraining and options.removeGradParams
  if removes then gradients.remove(net) end
  plan.install(net, made, options.mode, removes)
  net.__memoryOptimized = options.mode
end

--- Undoes `optimizeMemory`, except for `inplace`: frees outputs and gradInputs, allocates gradients again, zero and shared as before, and
-- restores the methods. Call it before saving or training a network that was optimised for inference.
-- @tparam nn.Module net; one that is not optimised does not change, which is printed
function optnet.removeOptimization(net)
  checkNet('optnet.removeOptimization', net)
  if not net.__memoryOptimized then
    print 'Skipping memory optimization removal, as the network was not optimized.'
    return
  end
  plan.remove(net)
  emptyResults(net)
  gradients.restore(net)
  net.__memoryOptimized = nil
end

--- The memory of a network's tensors: complete storages, each counted once per kind. Call it after a forward.
-- @tparam nn.Module net
-- @treturn table bytes: outputs, gradInputs, buffers (tensors in other fields of modules), params (with their gradients) and total_size
function optnet.countUsedMemory(net)
  checkNet('optnet.countUsedMemory', net)
  return require 'optnet.memory'(net)
end

return optnet
