--- Networks on several devices.
-- @module torchnet.utils.nn
local argcheck = require 'argcheck'

local networks = {}

--- A network that distributes its batches over the first GPUs; the network itself for one GPU.
-- @function makeDataParallel
-- @tparam nn.Module module
-- @int nGPU
-- @int[opt=1] dimension of the batch
-- @treturn nn.Module
networks.makeDataParallel = argcheck {
  { name = 'module', type = 'nn.Module' }, { name = 'nGPU', type = 'number' }, { name = 'dimension', type = 'number', default = 1 },
  call = function(module, nGPU, dimension)
    if nGPU <= 1 then return module end
    local nn = require 'nn'
    require 'cunn'
    local devices = {}
    for i = 1, nGPU do devices[i] = i end
    return nn.DataParallelTable(dimension):add(module, devices)
  end,
}

return networks
