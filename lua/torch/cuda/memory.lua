--- The memory of CUDA's devices: what tensors hold, what is kept for later, and limits.
-- @module torch.cuda.memory
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
local api = require 'torch.cuda.api'

local memory = {}

local function read(where, device) return api.struct(where, 'memory_read', 'mt_cuda_memory', api.device(where, device)) end

-- Adds a function of one number of those that the library tells.
local function teller(name, field)
  local where = 'torch.cuda.' .. name
  memory[name] = function(device) return tonumber(read(where, device)[field]) end
end

--- The bytes that tensors hold of a device's memory, with those that results of ops in progress take.
-- @function memoryAllocated
-- @tparam[opt] int|string device the current one unless given
-- @treturn int
teller('memoryAllocated', 'allocated_bytes')

--- The most bytes that tensors held since the last `resetPeakMemory`.
-- @function maxMemoryAllocated
-- @tparam[opt] int|string device
-- @treturn int
teller('maxMemoryAllocated', 'most_allocated_bytes')

--- The bytes that were taken from the driver: what tensors hold, and what is kept for later.
-- @function memoryReserved
-- @tparam[opt] int|string device
-- @treturn int
teller('memoryReserved', 'reserved_bytes')

--- The most bytes that were taken from the driver since the last `resetPeakMemory`.
-- @function maxMemoryReserved
-- @tparam[opt] int|string device
-- @treturn int
teller('maxMemoryReserved', 'most_reserved_bytes')

-- The library's names of figures -> ours.
local figures = {
  allocated_bytes = 'allocated', most_allocated_bytes = 'maxAllocated', reserved_bytes = 'reserved', most_reserved_bytes = 'maxReserved',
  blocks = 'blocks', most_blocks = 'maxBlocks', segments = 'segments', limit_bytes = 'limit', allocations = 'allocations',
  driver_allocations = 'driverAllocations', driver_releases = 'driverReleases', retries = 'retries', failures = 'failures',
}

--- All figures of a device's memory: `allocated`, `reserved` and the most of both, in bytes; `blocks` in use and `segments` of the driver;
-- how often each was asked for, and how often memory was short.
-- @tparam[opt] int|string device
-- @treturn table
function memory.memoryStats(device)
  local came, stats = read('torch.cuda.memoryStats', device), {}
  for field, name in pairs(figures) do stats[name] = tonumber(came[field]) end
  return stats
end

--- Makes what is now the most.
-- @tparam[opt] int|string device
function memory.resetPeakMemory(device)
  api.call('torch.cuda.resetPeakMemory', 'memory_reset_peaks', api.device('torch.cuda.resetPeakMemory', device))
end

--- What the driver has left, and the device's whole memory, in bytes.
-- @tparam[opt] int|string device
-- @treturn int free
-- @treturn int total
function memory.memoryInfo(device)
  local number = api.device('torch.cuda.memoryInfo', device)
  local free, total = ffi.new 'int64_t[1]', ffi.new 'int64_t[1]'
  api.call('torch.cuda.memoryInfo', 'memory_info', number, free, total)
  return tonumber(free[0]), tonumber(total[0])
end

--- Gives the driver back what is kept for later.
-- @tparam[opt] int|string device all of them unless given
function memory.emptyCache(device)
  local number = device == nil and -1 or api.device('torch.cuda.emptyCache', device)
  api.call('torch.cuda.emptyCache', 'empty_cache', number)
end

--- The most that may be taken of a device's memory, as a part of all of it.
-- @number fraction above 0, at most 1
-- @tparam[opt] int|string device
function memory.setMemoryFraction(fraction, device)
  local where = 'torch.cuda.setMemoryFraction'
  if type(fraction) ~= 'number' or not (fraction > 0 and fraction <= 1) then
    check.raise(('%s: fraction: %s came, a number above 0 and at most 1 was expected'):format(where, tostring(fraction)))
  end
  api.call(where, 'set_memory_fraction', api.device(where, device), fraction)
end

--- The most bytes that may be taken of a device's memory; 0 for no limit.
-- @int bytes
-- @tparam[opt] int|string device
function memory.setMemoryLimit(bytes, device)
  local where = 'torch.cuda.setMemoryLimit'
  if type(bytes) ~= 'number' or not (bytes >= 0 and bytes < 2 ^ 62 and bytes % 1 == 0) then
    check.raise(('%s: bytes: %s came, a whole number, 0 or more, was expected'):format(where, tostring(bytes)))
  end
  api.call(where, 'set_memory_limit', api.device(where, device), bytes)
end

--- Who holds most of a device's memory, by the op that asked for it.
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
}

--- What was asked of all devices so far: launches, synchronizations, copiesToDevice, copiesToHost, bytesToDevice, bytesToHost,
-- driverAllocations.
-- @treturn table
function memory.counters()
  local came, counters = api.struct('torch.cuda.counters', 'counters_read', 'mt_cuda_counters'), {}
  for field, name in pairs(counterFields) do counters[name] = tonumber(came[field]) end
  return counters
end

local function addressOf(pointer) return tonumber(ffi.cast('intptr_t', pointer)) end

--- A CPU tensor in pinned memory, which devices reach directly: copies from and to it do not wait.
-- @tparam ... ... sizes, or a LongStorage; or a tensor, of which it is a copy
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
  if not whole then check.raise(('%s: type: %s came, the name of a type was expected'):format(where, tostring(typename))) end
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

--- Whether a CPU tensor is in pinned memory.
-- @tparam torch.Tensor x
-- @treturn boolean
function memory.isPinned(x)
  check.tensor('torch.cuda.isPinned', 'x', x)
  if x:device() ~= 'cpu' or not x:storage() then return false end
  return api.library().mt_cuda_is_pinned(ffi.cast('const void *', x:data())) ~= 0
end

return memory
