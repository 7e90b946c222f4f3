--- Calls with tensors on GPUs: by NCCL, on a stream of their own, or through pinned memory of the host where NCCL is missing, ranks share a
-- GPU, or the call is a message. All ranks of a group choose alike.
-- @module distributed.devices
local ffi = require 'ffi'
local torch, C = require 'torch', require 'libmoontorch'
local api = require 'torch.cuda.api'
local memory, nccl = require 'torch.cuda.memory', require 'torch.cuda.nccl'
local streams = require 'torch.cuda.stream'

local devices = {}

local where = 'torch.distributed'

-- By group: by device, the route of its calls: a stream and a communicator, or nothing.
local routes = setmetatable({}, { __mode = 'k' })

local idBytes, nameBytes = 128, 64

local function bytesOf(text, size)
  local bytes = torch.ByteTensor(size):zero()
  for i = 1, math.min(#text, size) do bytes[i] = text:byte(i) end
  return bytes
end

local function textOf(bytes)
  local list = bytes:totable()
  return (string.char(unpack(list)):gsub('%z+$', ''))
end

-- Collects from all ranks what a route needs: whether NCCL is there, the name of the device, and the id of the first rank.
local function introduce(run, number, isFirst)
  local problem = nccl.problem()
  local own = torch.ByteTensor(1 + nameBytes + idBytes):zero()
  own[1] = problem and 0 or 1
  own:narrow(1, 2, nameBytes):copy(bytesOf(ffi.string(api.struct(where, 'device_properties', 'mt_cuda_properties', number).id), nameBytes))
  if isFirst and not problem then own:narrow(1, 2 + nameBytes, idBytes):copy(bytesOf(nccl.uniqueId(), idBytes)) end
  return run(own), problem
end

-- Returns why the ranks can't use NCCL; nil if they can.
local function obstacle(all, ranks)
  local owners = {}
  for i, theirs in ipairs(all) do
    if theirs[1] == 0 then return ('rank %d has no NCCL'):format(ranks[i]) end
    local name = textOf(theirs:narrow(1, 2, nameBytes))
    if owners[name] then return ('ranks %d and %d have the same GPU'):format(owners[name], ranks[i]) end
    owners[name] = ranks[i]
  end
end

local function deviceOf(x) return tonumber(x:device():match '^cuda:(%d+)$') end

--- Returns the tensor of a call that is on a GPU.
-- @tparam table what as of `operation.run`
-- @treturn ?torch.Tensor
function devices.tensorOf(what)
  for _, x in ipairs { what.input or false, what.output or false } do
    if x and x:device() ~= 'cpu' then return x end
  end
end

--- Returns the route of a device's calls in a group, which the ranks choose together at the first one.
-- @tparam Group group
-- @tparam torch.Tensor x
-- @tparam function run (bytes) collects bytes of all ranks, in a call that they compare
-- @treturn table `stream` and `member` for NCCL; an empty one for copies through the host
function devices.route(group, x, run)
  local device = deviceOf(x)
  routes[group] = routes[group] or {}
  local known = routes[group][device]
  if known then return known end
  local all, problem = introduce(run, device - 1, group:rank() == 0)
  local reason, route = obstacle(all, group.ranks), {}
  if reason then
    if group:rank() == 0 then
      io.stderr:write(('torch.distributed: CUDA tensors go through the memory of the host: %s\n'):format(problem or reason))
    end
  else
    local id = string.char(unpack(all[1]:narrow(1, 2 + nameBytes, idBytes):totable()))
    route.member = nccl.join(device, group:size(), id, group:rank())
    route.stream = streams.Stream(device, -1)
  end
  routes[group][device] = route
  return route
end

--- Returns whether NCCL does a call.
-- @tparam table what
function devices.serves(what)
  local kind = what.kind
  if kind == 'send' or kind == 'receive' then return false end
  return not what.reduction or nccl.reduces(what.like)
end

local native, release = ffi.new 'mt_cuda_collective', nil

--- Prepares a call on a route: it begins after the present work of the current stream.
-- @tparam table route
-- @tparam table what
-- @treturn table `id`, for the native part; `await`
function devices.prepare(route, what)
  local work = { id = api.number(where, 'work_create', route.member.id, route.stream.id, nccl.fill(native, what)) }
  release = release or api.library().mt_cuda_work_destroy
  work.guard = newproxy(true)
  getmetatable(work.guard).__gc = function() release(work.id) end
  return work
end

--- Makes the current stream wait for a call that has begun.
function devices.await(work) api.call(where, 'work_await', work.id) end

--- Returns whether a call that has begun is done.
function devices.isDone(work) return api.number(where, 'work_is_done', work.id) ~= 0 end

--- Returns the library, with the functions by which the native part begins a call.
devices.library = api.library

local function pinnedLike(x) return memory.pinned(x:size(), 'torch.' .. C.dtypeOf(x) .. 'Tensor') end

--- Returns a call with memory of the host in place of a GPU's.
-- @tparam table what
-- @treturn table
function devices.staged(what)
  local copy = {}
  for name, value in pairs(what) do copy[name] = value end
  local input, output = what.input, what.output
  copy.input = input and pinnedLike(input):copy(input)
  copy.output = output and (output == input and copy.input or pinnedLike(output))
  if what.kind == 'broadcast' and what.keeps then copy.output:copy(output) end
  copy.like = copy.input or copy.output
  copy.after = function()
    if output and not what.keeps then output:copy(copy.output) end
    if what.after then return what.after() end
  end
  return copy
end

return devices
