--- The machines of a job: named by an option or in a file, allocated by Slurm, or this one.
-- @module distributed.launch.hosts
local hosts = {}

-- Reads machines with their numbers of processes, A,B:2 or Open MPI's file of lines `A` and `B slots=2`, which other words may follow.
local function add(list, name, slots)
  list.slots, list.most = list.slots + slots, math.max(list.most, slots)
  list.machines = list.machines + 1
  return name
end

local function fromWord(text)
  local list = { machines = 0, slots = 0, most = 0, words = { '--host', text } }
  for item in text:gmatch '[^,]+' do
    local name, slots = item:match '^(.-):(%d+)$'
    if not add(list, name or item, tonumber(slots) or 1):find '^[%w.:%%%[%]_-]+$' or tonumber(slots) == 0 then
      return nil, ('--hosts: %s, expected names of machines, each with a number of processes from 1: A,B:2'):format(text)
    end
  end
  if list.machines == 0 then return nil, '--hosts: no machine, expected one' end
  return list
end

local function fromFile(path)
  local file = io.open(path)
  if not file then return nil, ('--hostfile: %s: there is no such file'):format(path) end
  local list = { machines = 0, slots = 0, most = 0, words = { '--hostfile', path } }
  for line in file:lines() do
    local name, rest = line:gsub('#.*', ''):match '^%s*(%S+)(.*)$'
    if name then add(list, name, tonumber(rest:match 'slots%s*=%s*(%d+)') or 1) end
  end
  file:close()
  if list.machines == 0 then return nil, ('--hostfile: %s names no machine, expected one in a line'):format(path) end
  return list
end

-- The tasks of Slurm's machines: '2(x3),1' are 2, 2, 2 and 1.
local function fromSlurm(environment)
  local list = { machines = 0, slots = 0, most = 0, words = {} }
  for item in (environment 'SLURM_TASKS_PER_NODE' or environment 'SLURM_NTASKS' or ''):gmatch '[^,]+' do
    for _ = 1, tonumber(item:match '%(x(%d+)%)') or 1 do add(list, '', tonumber(item:match '^%d+') or 1) end
  end
  list.machines = tonumber(environment 'SLURM_JOB_NUM_NODES') or list.machines
  list.slots = tonumber(environment 'SLURM_NTASKS') or list.slots
  return list.slots > 0 and list or nil
end

--- Returns where the processes run: `machines`, their number; `slots`, the processes that they have room for; `most`, those of one machine;
-- `words`, which name the machines to mpirun; `isHere` for this machine alone. mpirun knows the machines of Slurm's allocation itself.
-- @tparam table asked the options
-- @int cores of this machine
-- @tparam[opt] function environment returns the value of a variable
-- @treturn ?table nil if the options are wrong
-- @treturn ?string what is wrong
function hosts.of(asked, cores, environment)
  if asked.hosts then return fromWord(asked.hosts) end
  if asked.hostfile then return fromFile(asked.hostfile) end
  local allocated = fromSlurm(environment or os.getenv)
  if allocated and allocated.machines > 1 then return allocated end
  return { machines = 1, slots = allocated and allocated.slots or cores, most = math.huge, words = {}, isHere = true }
end

return hosts
