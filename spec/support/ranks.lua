--- Runs a program as several processes under mpirun.
local assert, files, program = require 'luassert', require 'spec.support.files', require 'spec.support.program'
local shell = require 'spec.support.shell'

local ranks = {}

local hasMpi = select(2, shell 'command -v mpirun') == 0

--- Skips a test where the system has no mpirun.
function ranks.need()
  if not hasMpi then pending 'mpirun is missing: Debian and Ubuntu have it in openmpi-bin' end
end

-- As root, and with more processes than cores, on this machine alone.
local mpirun = 'mpirun --allow-run-as-root --oversubscribe --bind-to none --mca btl self,vader,tcp'

--- Variables of programs that run as several ranks: threads of Open MPI lose memory.
ranks.environment = 'ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0'

local start = [[
local torch = require 'torch'
local dist = require 'torch.distributed'
dist.init { timeout = 60 }
local rank, n = dist.rank(), dist.worldSize()
]]

--- Runs a program on n ranks, each with a separate output. Variables of the program: torch, dist (started), rank, n.
-- @int n
-- @string code
-- @int[opt] perMachine takes so many ranks as one machine: calls then run as among several ones
-- @treturn {string,...} the output of each rank
-- @treturn int the exit status of mpirun
-- @treturn {string,...} the errors of each rank
function ranks.try(n, code, perMachine)
  ranks.need()
  local folder, script = os.tmpname(), program.script(start .. code)
  os.remove(folder)
  shell('mkdir ' .. folder)
  local each = ('exec %s %s >%s/out.$OMPI_COMM_WORLD_RANK 2>%s/err.$OMPI_COMM_WORLD_RANK'):format(program.path, script, folder, folder)
  local environment = perMachine and ('%s MOONTORCH_RANKS_PER_MACHINE=%d'):format(ranks.environment, perMachine) or ranks.environment
  local _, status = shell(("%s OMP_NUM_THREADS=1 %s -n %d sh -c '%s'"):format(environment, mpirun, n, each))
  local outputs, errors = {}, {}
  for rank = 0, n - 1 do
    outputs[rank + 1] = files.read(('%s/out.%d'):format(folder, rank))
    errors[rank + 1] = files.read(('%s/err.%d'):format(folder, rank))
  end
  shell('rm -r ' .. folder)
  return outputs, status, errors
end

--- Runs a program on n ranks, which must succeed.
-- @treturn {string,...} the output of each rank
function ranks.run(n, code, perMachine)
  local outputs, status, errors = ranks.try(n, code, perMachine)
  assert.equal('', table.concat(errors))
  assert.equal(0, status)
  return outputs
end

return ranks
