--- The memory of a network's tensors.
-- @module optnet.memory
local torch, storages = require 'torch', require 'optnet.storages'

local function bytesOf(set)
  local sum = 0
  for _, bytes in pairs(set) do sum = sum + bytes end
  return sum
end

-- The tensors in a module's fields except its results and parameters.
local function buffersOf(module, parameters, set)
  for name, value in pairs(module) do
    if name ~= 'output' and name ~= 'gradInput' and torch.isTensor(value) and not parameters[torch.pointer(value)] then
      storages.of(value, set)
    end
  end
end

--- The bytes of a network by kind.
-- @tparam nn.Module net
-- @treturn {[string]=number}
return function(net)
  local kinds = { outputs = {}, gradInputs = {}, buffers = {}, params = {} }
  local weights, gradients = net:parameters()
  local isParameter = {}
  for _, list in ipairs { weights or {}, gradients or {} } do
    storages.of(list, kinds.params)
    for _, tensor in ipairs(list) do isParameter[torch.pointer(tensor)] = true end
  end
  for _, module in ipairs(net:listModules()) do
    storages.of(module.output, kinds.outputs)
    storages.of(module.gradInput, kinds.gradInputs)
    buffersOf(module, isParameter, kinds.buffers)
  end
  local counted = { total_size = 0 }
  for kind, set in pairs(kinds) do
    counted[kind] = bytesOf(set)
    counted.total_size = counted.total_size + counted[kind]
  end
  return counted
end
