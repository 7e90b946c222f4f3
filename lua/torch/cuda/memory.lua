--- Memory of CUDA's devices: bytes in use, cached bytes, and limits.
-- @module torch.cuda.memory
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
local api = require 'torch.cuda.api'

local memory = {}

local function read(where, device) return api.struct(where, 'memory_read', 'mt_cuda_memory', api.device(where, device)) end

-- Adds a function that returns one of the library's statistics.
local function teller(name, field)
  local where = 'torch.cuda.' .. name
  memory[name] = function(device) return tonumber(read(where, device)[field]) end
end

--- Returns the bytes of a device's memory that tensors use, including results of ops in progress.
-- @function memoryAllocated
-- @tparam[opt] int|string device default: the current one
-- @treturn int
teller('memoryAllocated', 'allocated_bytes')

--- Returns the maximum bytes that tensors used since the last `resetPeakMemory`.
-- @function maxMemoryAllocated
-- @tparam[opt] int|string device
-- @treturn int
teller('maxMemoryAllocated', 'most_allocated_bytes')

--- Returns the bytes allocated from the driver: those that tensors use, and cached ones.
-- @function memoryReserved
-- @tparam[opt] int|string device
-- @treturn int
teller('memoryReserved', 'reserved_bytes')

--- Returns the maximum bytes allocated from the driver since the last `resetPeakMemory`.
-- @function maxMemoryReserved
-- @tparam[opt] int|string device
-- @treturn int
teller('maxMemoryReserved', 'most_reserved_bytes')

-- The library's names of statistics -> names in Lua.
local figures = {
  allocated_bytes = 'allocated', most_allocated_bytes = 'maxAllocated', reserved_bytes = 'reserved', most_reserved_bytes = 'maxReserved',
  blocks = 'blocks', most_blocks = 'maxBlocks', segments = 'segments', limit_bytes = 'limit', allocations = 'allocations',
  driver_allocations = 'driverAllocations', driver_releases = 'driverReleases', retries = 'retries', failures = 'failures',
}

--- Returns all statistics of a device's memory: `allocated`, `reserved` and the maximum of both, in bytes; `blocks` in use and `segments`
-- of the driver; numbers of allocations of each, and how often memory was short.
-- @tparam[opt] int|string device
-- @treturn table
function memory.memoryStats(device)
  local actual, stats = read('torch.cuda.memoryStats', device), {}
  for field, name in pairs(figures) do stats[name] = tonumber(actual[field]) end
  return stats
end

--- Sets the maxima to the current values.
-- @tparam[opt] int|string device
function memory.resetPeakMemory(device)
  api.call('torch.cuda.resetPeakMemory', 'memory_reset_peaks', api.device('torch.cuda.resetPeakMemory', device))
end

--- Returns the driver's free memory, and the device's total memory, in bytes.
-- @tparam[opt] int|string device
-- @treturn int free
-- @treturn int total
function memory.memoryInfo(device)
  local number = api.device('torch.cuda.memoryInfo', device)
  local free, total = ffi.new 'int64_t[1]', ffi.new 'int64_t[1]'
  api.call('torch.cuda.memoryInfo', 'memory_info', number, free, total)
  return tonumber(free[0]), tonumber(total[0])
end

--- Returns cached memory to the driver.
-- @tparam[opt] int|string device default: all
function memory.emptyCache(device)
  local number = device == nil and -1 or api.device('torch.cuda.emptyCache', device)
  api.call('torch.cuda.emptyCache', 'empty_cache', number)
end

--- Limits the memory that may be allocated on a device, as a fraction of its total memory.
-- @number fraction above 0, at most 1
-- @tparam[opt] int|string device
function memory.setMemoryFraction(fraction, device)
  local where = 'torch.cuda.setMemoryFraction'
  if type(fraction) ~= 'number' or not (fraction > 0 and fraction <= 1) then
    check.raise(('%s: fraction: %s, expected a number above 0 and at most 1'):format(where, tostring(fraction)))
  end
  api.call(where, 'set_memory_fraction', api.device(where, device), fraction)
end

--- Limits the bytes that may be allocated on a device; 0 for no limit.
-- @int bytes
-- @tparam[opt] int|string device
function memory.setMemoryLimit(bytes, device)
  local where = 'torch.cuda.setMemoryLimit'
  if type(bytes) ~= 'number' or not (bytes >= 0 and bytes < 2 ^ 62 and bytes % 1 == 0) then
    check.raise(('%s: bytes: %s, expected a whole number, 0 or more'):format(where, tostring(bytes)))
  end
  api.call(where, 'set_memory_limit', api.device(where, device), bytes)
end

--- Lists the largest users of a device's memory, by the op that allocated it.
-- @tparam[opt] int|string device
-- @treturn string lines
function memory.memoryHolders(device)
  local where, number, size = 'torch.cuda.memoryHolders', api.device('torch.cuda.memoryHolders', device), 4096
  local text, length = ffi.new('char[?]', size), ffi.new 'size_t[1]'
  api.call(where, 'memory_holders', number, text, size, length)
  if length[0] >= size then
    size = tonumber(length[0]) + 1
    text = ffi.new('char[?]', size)
    api.call(where, 'memory_holders', number, text, size, nil)
  end
  return ffi.string(text)
end

local counterFields = {
  launches = 'launches', synchronizations = 'synchronizations', copies_to_device = 'copiesToDevice', copies_to_host = 'copiesToHost',
  bytes_to_device = 'bytesToDevice', bytes_to_host = 'bytesToHost', driver_allocations = 'driverAllocations',
  fused_launches = 'fusedLaunches', compiled_kernels = 'compiledKernels', read_kernels = 'readKernels',
  refused_kernels = 'refusedKernels',
}

--- Returns counters of all devices since the start: launches, synchronizations, copiesToDevice, copiesToHost, bytesToDevice, bytesToHost,
-- driverAllocations; of fused steps (torch.graph) fusedLaunches, which launches counts as well, compiledKernels, readKernels (from files)
-- and refusedKernels.
-- @treturn table
function memory.counters()
  local actual, counters = api.struct('torch.cuda.counters', 'counters_read', 'mt_cuda_counters'), {}
  for field, name in pairs(counterFields) do counters[name] = tonumber(actual[field]) end
  return counters
end

local function addressOf(pointer) return tonumber(ffi.cast('intptr_t', pointer)) end

--- Creates a CPU tensor in pinned memory, which devices access directly: copies from and to it are asynchronous.
-- @tparam ... ... sizes, or a LongStorage; or a tensor to copy
-- @string[opt='float'] type after the sizes: 'float', 'torch.LongTensor', ...
-- @treturn torch.Tensor
-- @usage torch.cuda.pinned(32, 3, 224, 224):copy(batch)
function memory.pinned(...)
  local torch, where = require 'torch', 'torch.cuda.pinned'
  local arguments, count = { ... }, select('#', ...)
  local source = torch.isTensor(arguments[1]) and arguments[1] or nil
  local typename = type(arguments[count]) == 'string' and table.remove(arguments) or source and 'torch.' .. C.dtypeOf(source) .. 'Tensor'
    or 'torch.FloatTensor'
  local whole = require 'torch.class.type_name'(typename)
  if not whole then check.raise(('%s: type: %s, expected the name of a type'):format(where, tostring(typename))) end
  local like = torch.getmetatable(whole).new()
  local sizes = source and source:size() or check.call(torch.empty, unpack(arguments)):size()
  local n = 1
  for d = 1, #sizes do n = n * sizes[d] end
  if #sizes == 0 or n == 0 then return like:resize(sizes) end
  local cell = ffi.new 'void *[1]'
  api.call(where, 'host_allocate', n * like:elementSize(), cell)
  local dtype
  for i, info in ipairs(C.dtypes) do
    if info.torch == C.dtypeOf(like) then dtype = i - 1 end
  end
  local release = api.library().mt_cuda_host_release
  local good, storage = pcall(C.borrowStorage, dtype, n, addressOf(cell[0]), addressOf(release))
  if not good then
    release(cell[0])
    error(storage, 0)
  end
  like:set(storage, 1, sizes)
  return source and like:copy(source) or like
end

--- Returns whether a CPU tensor is in pinned memory.
-- @tparam torch.Tensor x
-- @treturn boolean
function memory.isPinned(x)
  check.tensor('torch.cuda.isPinned', 'x', x)
  if x:device() ~= 'cpu' or not x:storage() then return false end
  return api.library().mt_cuda_is_pinned(ffi.cast('const void *', x:data())) ~= 0
end

return memory
