--- Trees of the tasks of a Slurm job: `require 'ipc.SlurmTree'(dir, tasksPerGpu)`, for programs that srun starts.
-- @module ipc.SlurmTree
local check, paths = require 'torch.check', require 'paths'
local fileTree, nodes = require 'ipc.file_tree', require 'ipc.nodes'

local where = 'ipc.SlurmTree'

local function variable(name, options)
  local text = os.getenv(name)
  return check.int(where, name, tonumber(text) or text, options)
end

--- Joins a binary tree of all tasks of the job's step. The root's file is in a folder that all machines see.
-- @function ipc.SlurmTree
-- @string[opt='~/.torch'] dir the folder, which is created
-- @int[opt=1] tasksPerGpu how many tasks of a machine share a GPU
-- @treturn table as of `ipc.Tree`, and `gpu`: the number of this task's GPU on its machine, from 1
-- @raise if a variable of Slurm's is missing
return function(dir, tasksPerGpu)
  dir = check.name(where, 'dir', dir or os.getenv 'HOME' .. '/.torch')
  check.int(where, 'tasksPerGpu', tasksPerGpu or 1, { min = 1 })
  local count = variable('SLURM_NTASKS', { min = 1 })
  local rank, place = variable('SLURM_PROCID', { min = 0, max = count - 1 }), variable('SLURM_LOCALID', { min = 0 })
  local tree
  if count == 1 then
    tree = nodes.single()
  else
    local job, step = variable 'SLURM_JOB_ID', os.getenv 'SLURM_STEP_ID' or '0'
    local isThere = paths.dirp(dir) or paths.mkdir(dir) or paths.dirp(dir)
    check.that(isThere, ('%s: dir: %s, expected a folder that can be created'):format(where, dir))
    tree = fileTree(('%s/%d.%s.slurm'):format(dir, job, step), os.getenv 'SLURMD_NODENAME' or '127.0.0.1', rank + 1, count)
  end
  tree.gpu = math.floor(place / (tasksPerGpu or 1)) + 1
  return tree
end
