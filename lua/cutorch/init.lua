--- Torch7's package of CUDA tensors, over `torch.cuda`: devices, streams, random numbers and memory by its names. `require 'cutorch'` loads
-- the types torch.CudaTensor, torch.CudaDoubleTensor and the like; devices count from 1. Without a GPU it prints a warning (under pcall it
-- raises an error), and the first CUDA tensor raises the error.
-- @module cutorch
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch, check = require 'torch', require 'torch.check'
local parts = require 'torch.start.lazy_loader'
local cuda = torch.cuda
local isThere, why = pcall(cuda.load)
if not isThere then require 'cutorch.absent'.announce(why) end

local cutorch = {}
package.loaded.cutorch = cutorch
rawset(_G, 'cutorch', cutorch)

--- Whether tensors of 16-bit floats exist.
cutorch.hasHalf = true

--- Whether linear algebra runs on the device.
cutorch.magma = true

--- The number of devices.
-- @treturn int
function cutorch.getDeviceCount() return cuda.deviceCount() end

--- The current device.
-- @treturn int from 1
function cutorch.getDevice() return cuda.device() end

--- Selects the current device.
-- @int device from 1
function cutorch.setDevice(device) check.call(cuda.setDevice, device) end

--- Calls a function with another current device, and restores the former one after the function has returned or raised an error.
-- @int device
-- @tparam function f
-- @param ... its arguments
-- @return what f returns
function cutorch.withDevice(device, f, ...) return check.call(cuda.withDevice, device, f, ...) end

--- Waits until the work of the current device is done.
function cutorch.synchronize() check.call(cuda.synchronize) end

--- Waits until the work of all devices is done.
function cutorch.synchronizeAll() check.call(cuda.synchronize, 'all') end

--- Returns cached memory to the driver. (Torch7 destroyed the device's tensors, too; here they stay.)
function cutorch.deviceReset() check.call(cuda.emptyCache, cuda.device()) end

--- The version of CUDA that the driver supports.
-- @treturn int 13000 is 13.0
function cutorch.getDriverVersion() return (cuda.versions()) end

--- The version of CUDA that the library was built for.
-- @treturn int
function cutorch.getRuntimeVersion() return (select(2, cuda.versions())) end

-- Properties that are equal on devices of every compute capability since 5.0, or that are no longer meaningful.
local alike = {
  regsPerBlock = 65536, totalConstMem = 65536, memPitch = 2 ^ 31 - 1, textureAlignment = 512, computeMode = 0, integrated = 0,
  canMapHostMemory = 1, deviceOverlap = 1, kernelExecTimeoutEnabled = 0,
}

--- Properties of a device: `name`, `major`, `minor`, `totalGlobalMem`, `freeGlobalMem`, `multiProcessorCount`, `clockRate`, `warpSize`, ...
-- @int[opt] device the current one unless given
-- @treturn table
function cutorch.getDeviceProperties(device)
  local p = check.call(cuda.properties, device)
  local free, total = cuda.memoryInfo(device)
  local properties = {
    name = p.name, major = p.major, minor = p.minor, totalGlobalMem = total, freeGlobalMem = free,
    multiProcessorCount = p.multiprocessors, clockRate = p.clockKHz, memoryClockRate = p.memoryClockKHz, memoryBusWidth = p.memoryBusBits,
    warpSize = p.warpSize, maxThreadsPerBlock = p.threadsPerBlock, maxThreadsPerMultiProcessor = p.threadsPerMultiprocessor,
    sharedMemPerBlock = p.sharedMemoryPerBlock, l2CacheSize = p.l2Cache,
  }
  for name, value in pairs(alike) do properties[name] = value end
  return properties
end

--- Whether a device computes in 16-bit floats.
-- @int[opt] device the current one unless given
-- @treturn boolean
function cutorch.hasHalfInstructions(device)
  local p = check.call(cuda.properties, device)
  return p.major > 5 or p.major == 5 and p.minor >= 3
end

--- Whether a device computes faster in 16-bit floats than in 32-bit ones.
-- @int[opt] device
-- @treturn boolean
function cutorch.hasFastHalfInstructions(device)
  local p = check.call(cuda.properties, device)
  return p.major >= 6 and not (p.major == 6 and p.minor == 1)
end

--- The free and the total memory of a device, in bytes.
-- @int[opt] device the current one unless given
-- @treturn int free, including cached memory
-- @treturn int total
function cutorch.getMemoryUsage(device)
  local free, total = check.call(cuda.memoryInfo, device)
  return free + cuda.memoryReserved(device) - cuda.memoryAllocated(device), total
end

--- Whether freed memory is cached: always true here.
-- @treturn boolean
function cutorch.isCachingAllocatorEnabled() return true end

--- Accepted for compatibility; here device memory always counts for Lua's collector.
-- @tparam boolean on
function cutorch.setHeapTracking(on) return on end

--- Seeds the current device's generator.
-- @int seed
function cutorch.manualSeed(seed) check.call(cuda.manualSeed, seed) end

--- Seeds the generators of all devices.
-- @int seed
function cutorch.manualSeedAll(seed) check.call(cuda.manualSeed, seed, 'all') end

--- Seeds the current device's generator randomly.
-- @treturn number the seed
function cutorch.seed() return cuda.seed() end

--- Seeds the generators of all devices randomly, with the same seed.
-- @treturn number the seed
function cutorch.seedAll()
  local seed = cuda.seed() % 2 ^ 53      -- exact as a Lua number
  cuda.manualSeed(seed, 'all')
  return seed
end

--- The seed of the current device's generator.
-- @treturn number
function cutorch.initialSeed() return cuda.initialSeed() end

--- The state of the current device's generator.
-- @treturn torch.ByteTensor
function cutorch.getRNGState() return cuda.getRNGState() end

--- Restores a state of the current device's generator.
-- @tparam torch.ByteTensor state
function cutorch.setRNGState(state) check.call(cuda.setRNGState, state) end

--- Torch7 returned the address of its C interface's state, for other packages' kernels. There is none: returns nil.
function cutorch.getState() return nil end

--- Whether a tensor is in managed memory, shared by host and device: always false.
-- @treturn boolean
function cutorch.isManaged(x)
  check.tensor('cutorch.isManaged', 'x', x)
  return false
end

--- Whether a pointer is to managed memory: always false.
-- @treturn boolean
function cutorch.isManagedPtr() return false end

parts(cutorch, [[
  cutorch.peers: getPeerToPeerAccess setPeerToPeerAccess getKernelPeerToPeerAccess setKernelPeerToPeerAccess
  cutorch.streams: reserveStreams getNumStreams setStream getStream setDefaultStream streamWaitFor streamWaitForMultiDevice
  cutorch.streams: streamBarrier streamBarrierMultiDevice streamSynchronize Event
  cutorch.streams: reserveBlasHandles getNumBlasHandles setBlasHandle getBlasHandle
  cutorch.host: createCudaHostTensor createCudaHostFloatTensor createCudaHostDoubleTensor createCudaHostHalfTensor
  cutorch.host: createCudaHostByteTensor createCudaHostCharTensor createCudaHostShortTensor createCudaHostIntTensor
  cutorch.host: createCudaHostLongTensor createFloatUVATensor createCudaUVATensor toFloatUVATensor toCudaUVATensor
  test = cutorch.self_test
]], function(_, name)
  if name == 'driverVersion' then return cutorch.getDriverVersion() end
  if name == 'runtimeVersion' then return cutorch.getRuntimeVersion() end
end, function(list)
  list[#list + 1] = 'driverVersion'
  list[#list + 1] = 'runtimeVersion'
end)

if not isThere then require 'cutorch.absent'.complete(cutorch, why) end

return cutorch
