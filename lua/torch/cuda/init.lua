--- CUDA in torch: devices, memory, streams, events and graphs.
-- The library for the devices is loaded by the first function that needs it, by `x:cuda()`, `x:to 'cuda'` or torch.CudaTensor. Devices are
-- named 'cuda:1', 'cuda:2', ...; 'cuda' is the current one. Functions accept such a name or the number.
-- @module torch.cuda
local ffi = require 'ffi'
local check, regions = require 'torch.check', require 'torch.start.regions'
local parts, plugin = require 'torch.start.lazy_loader', require 'torch.cuda.plugin'
local api = require 'torch.cuda.api'

local cuda = {}

--- Loads the library for the devices, which is otherwise loaded on demand.
-- @raise if something is missing: the library, the driver, a device
function cuda.load() plugin.load() end

--- Returns whether there is a device: the library exists and finds a driver.
-- @treturn boolean
-- @treturn ?string what is missing
function cuda.isAvailable()
  local good, why = pcall(api.count)
  if good and why > 0 then return true end
  return false, good and 'CUDA: there is no device' or tostring(why)
end

--- Returns the number of devices; 0 if CUDA can't be used.
-- @treturn int
function cuda.deviceCount() return cuda.isAvailable() and api.count() or 0 end

--- Returns whether the devices are emulated: their kernels run on the host.
-- @treturn boolean
function cuda.isEmulated() return api.library().mt_cuda_is_emulated() ~= 0 end

--- Returns the CUDA versions that the driver supports and that the library was built for.
-- @treturn int driver 13000 is 13.0
-- @treturn int runtime
function cuda.versions() return api.library().mt_cuda_driver_version(), api.library().mt_cuda_runtime_version() end

--- Returns the current device of this thread.
-- @treturn int from 1
function cuda.device() return api.current() end

--- Sets the current device of this thread, which is called 'cuda'.
-- @tparam int|string device
function cuda.setDevice(device)
  if device == nil then check.raise 'torch.cuda.setDevice: device: nothing, expected a number or a name such as cuda:1' end
  api.call('torch.cuda.setDevice', 'set_current_device', api.device('torch.cuda.setDevice', device))
end

local function change(device)
  local before = api.current()
  cuda.setDevice(device)
  return before
end

--- Calls a function with another current device.
-- @tparam int|string device
-- @tparam function f
-- @param ... its arguments
-- @return what f returns
function cuda.withDevice(device, f, ...)
  local where = 'torch.cuda.withDevice'
  local number = api.device(where, device)
  check.callable(where, 'f', f)
  return regions.call(change, number + 1, f, ...)
end

--- Returns properties of a device: `name`, `major` and `minor` of its compute capability, `multiprocessors`, `totalMemory` in bytes, ...
-- @tparam[opt] int|string device default: the current one
-- @treturn table
function cuda.properties(device)
  local where = 'torch.cuda.properties'
  local p = api.struct(where, 'device_properties', 'mt_cuda_properties', api.device(where, device))
  return {
    name = ffi.string(p.name), major = p.major, minor = p.minor, multiprocessors = p.multiprocessors,
    threadsPerMultiprocessor = p.threads_per_multiprocessor, threadsPerBlock = p.threads_per_block, warpSize = p.warp_size,
    clockKHz = p.clock_khz, memoryClockKHz = p.memory_clock_khz, memoryBusBits = p.memory_bus_bits,
    totalMemory = tonumber(p.total_bytes), sharedMemoryPerBlock = tonumber(p.shared_bytes_per_block), l2Cache = tonumber(p.l2_cache_bytes),
  }
end

--- Waits until all work of a device is done; raises errors of its kernels.
-- @tparam[opt] int|string device default: the current one; 'all' for all
function cuda.synchronize(device)
  local where = 'torch.cuda.synchronize'
  api.call(where, 'synchronize', device == 'all' and -1 or api.device(where, device))
end

--- Returns whether a device can access another one's memory directly.
-- @tparam int|string device
-- @tparam int|string peer
-- @treturn boolean
function cuda.canAccessPeer(device, peer)
  local where = 'torch.cuda.canAccessPeer'
  return api.number(where, 'can_access_peer', api.device(where, device), api.device(where, peer)) ~= 0
end

local function nameOf(where, device) return 'cuda:' .. api.device(where, device) + 1 end

--- Seeds the generator of the current device.
-- @int seed
-- @tparam[opt] int|string device another one; 'all' for all
function cuda.manualSeed(seed, device)
  local torch, where = require 'torch', 'torch.cuda.manualSeed'
  if type(seed) ~= 'number' then check.raise(('%s: seed: %s, expected a number'):format(where, type(seed))) end
  if device ~= 'all' then return torch.manualSeed(nameOf(where, device), seed) end
  for i = 1, api.count() do torch.manualSeed('cuda:' .. i, seed) end
end

--- Seeds the generator of the current device randomly.
-- @tparam[opt] int|string device
-- @treturn number the seed
function cuda.seed(device) return require('torch').seed(nameOf('torch.cuda.seed', device)) end

--- Returns the seed from which a device's generator started.
-- @tparam[opt] int|string device
-- @treturn number
function cuda.initialSeed(device) return require('torch').initialSeed(nameOf('torch.cuda.initialSeed', device)) end

--- Returns the state of a device's generator, for `setRNGState`.
-- @tparam[opt] int|string device
-- @treturn torch.ByteTensor
function cuda.getRNGState(device) return require('torch').getRNGState(nameOf('torch.cuda.getRNGState', device)) end

--- Restores a state.
-- @tparam torch.ByteTensor state
-- @tparam[opt] int|string device
function cuda.setRNGState(state, device) require('torch').setRNGState(nameOf('torch.cuda.setRNGState', device), state) end

parts(cuda, [[
  torch.cuda.stream: Stream Event currentStream defaultStream setStream withStream
  torch.cuda.memory: memoryAllocated maxMemoryAllocated memoryReserved maxMemoryReserved memoryStats resetPeakMemory memoryInfo
  torch.cuda.memory: emptyCache setMemoryFraction setMemoryLimit memoryHolders counters pinned isPinned
  torch.cuda.graph: Graph graph
]])

return cuda
