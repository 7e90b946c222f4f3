--- Transfers and reductions between GPUs by NCCL, which is opened at the first use: the base of torch.distributed's calls with CUDA tensors
-- and of nn.DataParallelTable. Ranks count from 0.
-- @module torch.cuda.nccl
local ffi = require 'ffi'
local C = require 'libmoontorch'
local api, copies = require 'torch.cuda.api', require 'torch.cuda.copies'

local nccl = {}

local where = 'torch.cuda.nccl'

-- The numbers of kinds and reductions in cuda/api.h, by the names of torch.distributed.
local kinds = { broadcast = 1, allReduce = 2, reduce = 3, gather = 4, scatter = 5, allGather = 6, reduceScatter = 7, allToAll = 8,
  send = 9, receive = 10 }
local reductions = { sum = 0, product = 1, min = 2, max = 3, mean = 4, avg = 4 }

local dtypeNumbers = {}
for i, info in ipairs(C.dtypes) do dtypeNumbers[info.torch] = i - 1 end

--- Returns why NCCL can't be used; nil if it can.
-- @treturn ?string
function nccl.problem()
  local good, why = pcall(nccl.version)
  return not good and tostring(why) or nil
end

--- Returns NCCL's version, in its numbering: 22809 is 2.28.9.
-- @treturn int
-- @raise if it is missing, with the package's name
function nccl.version() return api.number(where, 'nccl_version') end

--- Returns whether NCCL adds elements of a tensor's type.
-- @tparam torch.Tensor x
function nccl.reduces(x) return api.number(where, 'nccl_reduces', dtypeNumbers[C.dtypeOf(x)]) ~= 0 end

--- Returns a new id, which one rank makes for `join`, and sends to the others.
-- @treturn string of 128 bytes
function nccl.uniqueId()
  local id = ffi.new 'char[128]'
  api.call(where, 'unique_id', id)
  return ffi.string(id, 128)
end

-- Returns an object that leaves when it is collected.
local function communicator(id, device, rank, ranks)
  local guard = newproxy(true)
  local destroy = api.library().mt_cuda_communicator_destroy
  getmetatable(guard).__gc = function() destroy(id) end
  return { id = id, device = device, rank = rank, ranks = ranks, _guard = guard }
end

--- Makes this process a rank, and waits for all others, which call it with the same id.
-- @tparam int|string device
-- @int ranks how many there are
-- @string id
-- @int rank
-- @treturn table `device`, `rank`, `ranks`
function nccl.join(device, ranks, id, rank)
  local number = api.device(where, device)
  return communicator(api.number(where, 'communicator_create', number, ranks, id, rank), number + 1, rank, ranks)
end

--- Makes a communicator for each device of a list.
-- @tparam {int,...} devices numbers from 1
-- @treturn {table,...}
function nccl.joinAll(devices)
  local numbers, ids, list = ffi.new('int32_t[?]', #devices), ffi.new('int32_t[?]', #devices), {}
  for i, device in ipairs(devices) do numbers[i - 1] = api.device(where, device) end
  api.call(where, 'communicators_create', numbers, #devices, ids)
  for i in ipairs(devices) do list[i] = communicator(ids[i - 1], numbers[i - 1] + 1, i - 1, #devices) end
  return list
end

-- Tensors without elements have no memory.
local function addressOf(x) return x and x:nElement() > 0 and copies.addressOf(x) or nil end

--- Fills in a call.
-- @tparam cdata call an mt_cuda_collective
-- @tparam table what `kind`; `input` and `output`, tensors with contiguous elements; `like`, a tensor for the dtype; `count`, `reduction`,
--   `peer`
-- @treturn cdata call
function nccl.fill(call, what)
  call.size = ffi.sizeof 'mt_cuda_collective'
  call.kind, call.dtype = kinds[what.kind], dtypeNumbers[C.dtypeOf(what.like or what.input)]
  call.reduction, call.peer = reductions[what.reduction or 'sum'], what.peer or -1
  call.count = what.count or what.input:nElement()
  call.input = addressOf(what.input)
  call.output = addressOf(what.output)
  return call
end

--- Enqueues a call for each communicator of a list, which run together on the current streams of their devices.
-- @tparam {table,...} communicators
-- @tparam {table,...} list as of `fill`
function nccl.run(communicators, list)
  local n = #communicators
  local ids, streams = ffi.new('int32_t[?]', n), ffi.new('int32_t[?]', n)
  local calls = ffi.new('mt_cuda_collective[?]', n)
  for i, own in ipairs(communicators) do
    ids[i - 1], streams[i - 1] = own.id, api.number(where, 'current_stream', own.device - 1)
    nccl.fill(calls[i - 1], list[i])
  end
  api.call(where, 'collectives_run', n, ids, streams, calls)
  for _, what in ipairs(list) do
    if what.output then C.bumpVersion(what.output) end
  end
end

--- Ends the work of a communicator, which may wait for a rank that has failed.
-- @tparam table own
function nccl.abort(own) api.call(where, 'communicator_abort', own.id) end

--- Raises an error of work that has begun.
-- @tparam table own
function nccl.check(own) api.call(where, 'communicator_check', own.id) end

return nccl
