--- Programs of several processes, on one machine or many: groups of ranks, and calls that move and reduce tensors and Lua values between
-- them, on MPI. `torch.distributed` is the same. See docs/distributed.md.
-- Ranks count from 0, as in MPI, Slurm and PyTorch; lists of results from 1, so that rank r's is at r + 1.
-- @module distributed
-- @usage local dist = require 'torch.distributed'      -- th-launch -n 2 program.lua
-- dist.init()
-- local x = torch.ones(3):mul(dist.rank() + 1)
-- print(dist.allReduce(x))      -- 3 3 3 on both
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'
local check, library = require 'torch.check', require 'torch.library'
local native = require 'distributed.native'
local group, operation = require 'distributed.group', require 'distributed.operation'
local objects, tensors = require 'distributed.objects', require 'distributed.tensors'
local ffi = require 'ffi'

local distributed = {}
for _, calls in ipairs { tensors, objects } do
  for name, f in pairs(calls) do distributed[name] = f end
end

local defaultTimeout = 1800      -- seconds, as PyTorch's

--- Starts MPI, on all ranks: th-launch, mpirun or srun has started them. Without one of these the program is the only rank. The process
-- ends MPI when it exits. Seeds torch's generator with `seed` and the rank.
-- @tparam[opt] table options `backend` ('mpi', the only one), `timeout` of calls in seconds (1800), `seed` (th-launch's)
-- @treturn table this package
-- @raise if the system lacks Open MPI: the packages of Debian and Ubuntu that contain it
function distributed.init(options)
  options = check.options('torch.distributed.init', options, { 'backend', 'timeout', 'seed' })
  local backend = options.backend or 'mpi'
  if backend ~= 'mpi' then
    check.raise(operation.message('init', ("backend: %s, expected 'mpi'"):format(check.describe(backend))))
  end
  local timeout = options.timeout
  if timeout == nil then timeout = operation.timeout or defaultTimeout end
  check.number('torch.distributed.init', 'timeout', timeout, { min = 0 })
  local seed = options.seed
  if seed == nil then seed = tonumber(os.getenv 'MOONTORCH_LAUNCH_SEED') end
  if seed ~= nil then check.int('torch.distributed.init', 'seed', seed) end
  operation.timeout = timeout
  if group.world then return distributed end
  local opened, problem = pcall(library.system, 'mpi', 'torch.distributed.init', 'bin/th-launch and mpirun are in openmpi-bin')
  if not opened then check.raise(problem) end
  if native.mt_distributed_init(os.getenv 'MOONTORCH_BOARD', operation.line(), operation.timeout) < 0 then
    check.raise(operation.message('init', ffi.string(native.mt_distributed_error())))
  end
  group.start()
  local tasks = tonumber(os.getenv 'SLURM_NTASKS')
  if os.getenv 'SLURM_PROCID' and tasks > 1 and distributed.worldSize() == 1 and not os.getenv 'OMPI_COMM_WORLD_SIZE' then
    group.world = nil
    local words = 'srun has started %d tasks, which MPI does not know; expected srun --mpi=pmix, or th-launch'
    check.raise(operation.message('init', words:format(tasks)))
  end
  if seed then torch.manualSeed(seed + distributed.rank()) end
  return distributed
end

--- Returns whether `init` has been called.
function distributed.isInitialized() return group.world ~= nil end

--- Returns this process's rank, from 0.
-- @tparam[opt] Group ranks the group, the world by default
-- @treturn ?int nil outside the group
function distributed.rank(ranks) return group.any('rank', ranks):rank() end

--- Returns this process's number among the ranks of its machine, from 0, as Open MPI or Slurm say it: for a choice of devices.
-- @treturn int
function distributed.localRank()
  return tonumber(os.getenv 'OMPI_COMM_WORLD_LOCAL_RANK' or os.getenv 'SLURM_LOCALID') or 0
end

--- Returns how often th-launch has started the program again after a failure: after one, programs continue from their last checkpoint.
-- @treturn int
function distributed.restarts() return tonumber(os.getenv 'MOONTORCH_RESTARTS') or 0 end

--- Returns the number of ranks.
-- @tparam[opt] Group ranks the group, the world by default
-- @treturn int
function distributed.worldSize(ranks) return group.any('worldSize', ranks):size() end

distributed.newGroup = group.create

require 'torch.start.lazy_loader'(distributed, [[
  functional = distributed.functional
  rpc = distributed.rpc
  distributed.checkpoint: save load shard
  distributed.arrays: array loadArray scatterArray
]])

return distributed
