--- Torch7's package of CUDA tensors, over `torch.cuda`: devices, streams, random numbers and memory by its names.
-- `require 'cutorch'` brings the types torch.CudaTensor, torch.CudaDoubleTensor and their kin; devices count from 1. Without a GPU it
-- warns, unless the program calls it by pcall, and the first CUDA tensor raises the error.
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

--- Whether there are tensors of 16-bit floats.
cutorch.hasHalf = true

--- Whether linear algebra runs on the device.
cutorch.magma = true

--- How many devices there are.
-- @treturn int
function cutorch.getDeviceCount() return cuda.deviceCount() end

--- The current device.
-- @treturn int from 1
function cutorch.getDevice() return cuda.device() end

--- Makes a device the current one.
-- @int device from 1
function cutorch.setDevice(device) check.call(cuda.setDevice, device) end

--- Calls a function with another current device, which is as it was when the function has returned or raised an error.
-- @int device
-- @tparam function f
-- @param ... its arguments
-- @return what f returns
function cutorch.withDevice(device, f, ...) return check.call(cuda.withDevice, device, f, ...) end

--- Waits until the work of the current device is done.
function cutorch.synchronize() check.call(cuda.synchronize) end

--- Waits until the work of all devices is done.
function cutorch.synchronizeAll() check.call(cuda.synchronize, 'all') end

--- Gives back the memory that is kept for later. (Torch7 destroyed the device's tensors, too; here they stay.)
function cutorch.deviceReset() check.call(cuda.emptyCache, cuda.device()) end

--- The version of CUDA that the driver knows.
-- @treturn int 13000 is 13.0
function cutorch.getDriverVersion() return (cuda.versions()) end

--- The version of CUDA that the library was built for.
-- @treturn int
function cutorch.getRuntimeVersion() return (select(2, cuda.versions())) end

-- What devices of every compute capability since 5.0 have alike, and what says nothing any more.
local alike = {
  regsPerBlock = 65536, totalConstMem = 65536, memPitch = 2 ^ 31 - 1, textureAlignment = 512, computeMode = 0, integrated = 0,
  canMapHostMemory = 1, deviceOverlap = 1, kernelExecTimeoutEnabled = 0,
}

--- What a device is: `name`, `major`, `minor`, `totalGlobalMem`, `freeGlobalMem`, `multiProcessorCount`, `clockRate`, `warpSize`, ...
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

--- Whether it does so faster than in 32-bit ones.
-- @int[opt] device
-- @treturn boolean
function cutorch.hasFastHalfInstructions(device)
  local p = check.call(cuda.properties, device)
  return p.major >= 6 and not (p.major == 6 and p.minor == 1)
end

--- The memory that is free, and all of it, in bytes.
-- @int[opt] device the current one unless given
-- @treturn int free what the driver has left, and what is kept for later
-- @treturn int total
function cutorch.getMemoryUsage(device)
  local free, total = check.call(cuda.memoryInfo, device)
  return free + cuda.memoryReserved(device) - cuda.memoryAllocated(device), total
end

--- Whether freed memory is kept for later: always, here.
-- @treturn boolean
function cutorch.isCachingAllocatorEnabled() return true end

--- Accepted; memory on devices always drives Lua's collector, here.
-- @tparam boolean on
function cutorch.setHeapTracking(on) return on end

--- Seeds what the current device draws.
-- @int seed
function cutorch.manualSeed(seed) check.call(cuda.manualSeed, seed) end

--- Seeds what all devices draw.
-- @int seed
function cutorch.manualSeedAll(seed) check.call(cuda.manualSeed, seed, 'all') end

--- Seeds what the current device draws by chance.
-- @treturn number the seed
function cutorch.seed() return cuda.seed() end

--- Seeds what all devices draw by chance, with one seed.
-- @treturn number the seed
function cutorch.seedAll()
  local seed = cuda.seed() % 2 ^ 53      -- a whole number as Lua has them
  cuda.manualSeed(seed, 'all')
  return seed
end

--- The seed that what the current device draws began with.
-- @treturn number
function cutorch.initialSeed() return cuda.initialSeed() end

--- The state of what the current device draws from.
-- @treturn torch.ByteTensor
function cutorch.getRNGState() return cuda.getRNGState() end

--- Goes back to such a state.
-- @tparam torch.ByteTensor state
function cutorch.setRNGState(state) check.call(cuda.setRNGState, state) end

--- The address of the state of Torch7's C interface, for kernels of packages: there is none.
function cutorch.getState() return nil end

--- Whether a tensor's memory is the host's and a device's at once: never.
-- @treturn boolean
function cutorch.isManaged(x)
  check.tensor('cutorch.isManaged', 'x', x)
  return false
end

--- The same of a pointer.
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
