-- bin/th-launch on several machines: what it asks of mpirun, and two machines that are network namespaces joined by a cable, where the
-- system lets root make them.
local files, program = require 'spec.support.files', require 'spec.support.program'
local ranks, shell = require 'spec.support.ranks', require 'spec.support.shell'

local environment = ('MT_PRESET=%s %s'):format(os.getenv 'MT_PRESET' or 'release', ranks.environment)

local function temporaryFolder()
  local folder = os.tmpname()
  os.remove(folder)
  shell('mkdir ' .. folder)
  return folder
end

describe('the machines of th-launch', function()
  -- The words of mpirun's command, which a program of this name writes, each in spaces.
  local function words(options, variables)
    local folder = temporaryFolder()
    files.write(folder .. '/mpirun', '#!/bin/sh\necho " $*  $(env | grep ^OMP_NUM)"\n')
    local clean = 'env -u SLURM_NTASKS -u OMP_NUM_THREADS'
    local command = 'chmod +x %s/mpirun; %s %s PATH=%s:$PATH %s bin/th-launch %s program.lua'
    local output = shell(command:format(folder, clean, variables or '', folder, environment, options))
    shell('rm -r ' .. folder)
    return output
  end
  local function has(text, output) assert.truthy(output:find(text, 1, true), text .. ' in ' .. output) end

  it('are this one, without a network, by default', function()
    local output = words '-n 3'
    has(' -n 3 ', output)
    has(' --mca btl self,vader ', output)
    has(' --bind-to none ', output)
    assert.is_nil(output:find('--host', 1, true))
  end)

  it('have room for as many processes as --hosts and --hostfile say', function()
    local output = words '--hosts a,b:3'
    has(' -n 4 ', output)
    has(' --host a,b:3 ', output)
    assert.is_nil(output:find('btl self,vader', 1, true))
    has(' -n 2 ', words '-n 2 --hosts a,b:3')
    local cores = tonumber((shell 'grep -c ^processor /proc/cpuinfo'))
    assert.is_nil((words '--hosts a,b'):find('--oversubscribe', 1, true))
    has(' --oversubscribe ', words(('--hosts a:1,b:%d'):format(cores + 1)))      -- more than one of the machines has cores
    has(' --oversubscribe ', words(('-n %d --hosts a'):format(cores + 1)))
    local file = os.tmpname()
    files.write(file, '# two machines\na slots=2 max_slots=4\n\nb\n')
    output = words('--hostfile ' .. file)
    has(' -n 3 ', output)
    has(' --hostfile ' .. file, output)
    files.write(file, '# none\n')
    has('--hostfile: ' .. file .. ' names no machine, expected one in a line', words('--hostfile ' .. file))
    os.remove(file)
    has('--hostfile: /no/such: there is no such file', words '--hostfile /no/such')
    has('--hosts: a:0, expected names of machines', words '--hosts a:0')
    has("--hosts: a b, expected names of machines", words "--hosts 'a b'")
    has('--hosts and --hostfile, expected one of them', words '--hosts a --hostfile b')
  end)

  it('are those of the allocation under Slurm', function()
    local output = words('', "SLURM_NTASKS=5 SLURM_JOB_NUM_NODES=3 SLURM_TASKS_PER_NODE='2(x2),1' SLURM_CPUS_PER_TASK=7")
    has(' -n 5 ', output)
    has('OMP_NUM_THREADS=7 ', output)
    assert.is_nil(output:find('btl self,vader', 1, true))
    output = words('', "SLURM_NTASKS=4 SLURM_JOB_NUM_NODES=2 SLURM_TASKS_PER_NODE='2(x2)'")
    has(' -n 4 ', output)
    assert.is_nil(output:find('btl self,vader', 1, true))
    output = words('', 'SLURM_NTASKS=3 SLURM_JOB_NUM_NODES=1 SLURM_TASKS_PER_NODE=3')
    has(' -n 3 ', output)
    has(' --mca btl self,vader ', output)
  end)

  it('bind a process to its cores if asked', function()
    local output = words '-n 1 --bind core'
    has(' --bind-to core --map-by slot:PE=', output)
  end)

  it('divide their cores among their processes', function()
    local cores = tonumber((shell 'grep -c ^processor /proc/cpuinfo'))
    has(('OMP_NUM_THREADS=%d '):format(cores), words('-n 1'))
    has('OMP_NUM_THREADS=1 ', words(('-n %d'):format(cores)))
    has(('OMP_NUM_THREADS=%d '):format(cores), words('--hosts a,b'))
    has('OMP_NUM_THREADS=9 ', words('-n 2', 'OMP_NUM_THREADS=9'))
  end)
end)

describe('a program under Slurm or mpirun', function()
  it('knows its number on the machine, and whether MPI knows the tasks', function()
    ranks.need()
    local print = [[io.write(require('torch.distributed').localRank())]]
    assert.equal('3', (program.run({ '-e', print }, '', 'SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=3')))
    assert.equal('1', (program.run({ '-e', print }, '', 'OMPI_COMM_WORLD_LOCAL_RANK=1 SLURM_LOCALID=3')))
    local init = "require('torch.distributed').init()"
    local _, status, errors = program.run({ '-e', init }, '', 'SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=3')
    assert.equal(1, status)
    assert.truthy(errors:find('srun has started 8 tasks, which MPI does not know; expected srun --mpi=pmix, or th-launch', 1, true), errors)
  end)
end)

-- Two network namespaces, and what ssh does on a network: `agent HOST COMMAND` runs the command on the other machine, which has its own
-- name and shared memory. join(first, second) gives each of them a device v0.
local Machines = {}
Machines.__index = Machines

function Machines.make(join)
  local id = shell('echo $$'):match '%d+'
  local self = setmetatable({ first = 'mta' .. id, second = 'mtb' .. id, agent = os.tmpname() }, Machines)
  local function run(script) return select(2, shell((script:gsub('%f[%w][AB]%f[%W]', { A = self.first, B = self.second })))) == 0 end
  self.made = run 'ip netns add A && ip netns add B' and join(run, self) and run [[
    ip -n A addr add 10.77.0.1/24 dev v0 && ip -n B addr add 10.77.0.2/24 dev v0 &&
    ip -n A link set v0 up && ip -n B link set v0 up && ip -n A link set lo up && ip -n B link set lo up]]
  files.write(self.agent, ([[
#!/bin/sh
shift
exec ip netns exec %s unshare --uts --mount sh -c 'hostname other; mount -t tmpfs none /dev/shm; exec sh -c "$*"' sh "$@"
]]):format(self.second))
  shell('chmod +x ' .. self.agent)
  self.made = self.made and select(2, shell(self.agent .. ' host true')) == 0
  return self
end

function Machines:remove() shell(('ip netns del %s; ip netns del %s; rm %s'):format(self.first, self.second, self.agent)) end

-- Runs a program by th-launch on both. Returns its output with the lines sorted, its status, and what the launcher said.
function Machines:launch(hosts, code)
  ranks.need()
  if not self.made then pending 'two network namespaces can not be made here: that needs root' end
  local errors, script = os.tmpname(), program.script("local dist = require 'torch.distributed'\n" .. code)
  local command = "%s ip netns exec %s timeout -s KILL 100 bin/th-launch --hosts %s --mpirun '--mca plm_rsh_agent %s' %s 2>%s"
  local output, status = shell(command:format(environment, self.first, hosts, self.agent, script, errors))
  local lines = {}
  for line in output:gmatch '[^\r\n]+' do lines[#lines + 1] = line end
  table.sort(lines)
  local said = files.read(errors):gsub('/%S*lua_%w+%.lua', 'F'):gsub('\r', '')
  os.remove(errors)
  return table.concat(lines, '\n'), status, said
end

describe('two machines', function()
  local machines
  setup(function()
    machines = Machines.make(function(run) return run 'ip link add v0 netns A type veth peer name v0 netns B' end)
  end)
  teardown(function() machines:remove() end)
  local function launch(...) return machines:launch(...) end

  it('run one program', function()
    local output, status, said = launch('10.77.0.1:1,10.77.0.2:2', [[
      dist.init { timeout = 60 }
      local x = dist.allReduce(torch.FloatTensor(300000):fill(dist.rank() + 1))
      local name = io.popen 'hostname':read '*l'
      io.write(dist.rank(), ' ', dist.localRank(), ' ', x:min(), ' ', x:max(), ' ', name == 'other' and name or 'this', '\n')
    ]])
    assert.equal('[0] 0 0 6 6 this\n[1] 1 0 6 6 other\n[2] 2 1 6 6 other', output)
    assert.equal('', said)
    assert.equal(0, status)
  end)

  it('send a vector once in each direction, over a cable of 100 Mbit/s', function()
    local function limit(verb)
      local qdisc = verb == 'add' and 'root tbf rate 100mbit burst 32k latency 100ms' or 'root'
      local command = ('tc -n %s qdisc %s dev v0 %s'):format('%s', verb, qdisc)
      return select(2, shell(command:format(machines.first) .. ' && ' .. command:format(machines.second)))
    end
    if machines.made and limit 'add' ~= 0 then pending 'tc can not limit the bandwidth here' end
    local output, status, said = launch('10.77.0.1:1,10.77.0.2:1', [[
      dist.init { timeout = 60 }
      local function sent() return tonumber(io.open '/sys/class/net/v0/statistics/tx_bytes':read '*a') end
      local x = torch.FloatTensor(1000000):fill(dist.rank() + 1)
      dist.barrier()
      local before = sent()
      dist.allReduce(x)
      dist.barrier()
      local share = (sent() - before) / 4e6
      io.write(dist.rank(), ' ', x:min(), ' ', x:max(), ' ', share >= 1 and share < 1.1 and 'once' or share, '\n')
    ]])
    limit 'del'
    assert.equal('', said)
    assert.equal('[0] 0 3 3 once\n[1] 1 3 3 once', output)
    assert.equal(0, status)
  end)

  it('report the ranks of the other one', function()
    local _, status, said = launch('10.77.0.1:1,10.77.0.2:2', [[
      dist.init { timeout = 60 }
      dist.barrier()
      if dist.rank() == 2 then
        require('sys').sleep(1)
        require('ffi').cdef 'int raise(int);'
        require('ffi').C.raise(9)
      end
      if dist.rank() == 1 then io.stderr:write 'a wo' end
      dist.barrier()
    ]])
    assert.equal(137, status)
    for _, text in ipairs { 'rank 2 ended by signal 9 (SIGKILL): computes, after barrier at F:3',
      'rank 0: in barrier at F:10, waits for rank 2', 'rank 1: in barrier at F:10, waits for rank 2', 'rank 2 holds up ranks 0 and 1' } do
      assert.truthy(said:find('th-launch: ' .. text .. '\n', 1, true), text .. ' in ' .. said)
    end
    assert.truthy(said:find('[1] a wo\n', 1, true), said)
    assert.is_nil(said:find('\1', 1, true))
  end)

  it('name a rank of the other one that is stopped, after the time limit', function()
    local _, status, said = launch('10.77.0.1:1,10.77.0.2:1', [[
      dist.init { timeout = 2 }
      dist.barrier()
      if dist.rank() == 1 then
        require('ffi').cdef 'int raise(int);'
        require('ffi').C.raise(19)
      end
      dist.allReduce(torch.ones(3))
    ]])
    assert.equal(1, status)
    assert.truthy(said:find('rank 0 waited 2 s for rank 1, whose last call was barrier at F:3', 1, true), said)
  end)

  it('say which machine was lost', function()
    local _, status, said = launch('10.77.0.1:1,10.77.0.2:1', [[
      dist.init { timeout = 60 }
      dist.barrier()
      if dist.rank() == 1 then os.execute 'kill -KILL $(ps -o ppid= -p $PPID)' end
      while true do dist.barrier() end
    ]])
    assert.are_not.equal(0, status)
    assert.truthy(said:find 'lost communication', said)
    assert.truthy(said:find('10.77.0.2', 1, true), said)
    assert.truthy(said:find('th-launch: rank 1: ', 1, true), said)
  end)
end)

describe('two machines with a cable that delays and loses', function()
  local machines, relay
  local log = os.tmpname()
  setup(function()
    machines = Machines.make(function(run, self)
      local command = '%s spec/support/relay.lua %s %s 5 0.02 7 >%s'      -- 5 ms, 2 %
      relay = io.popen(command:format(program.path, self.first, self.second, log), 'w')
      return run(('for _ in $(seq 500); do grep -q ready %s && break; sleep 0.02; done; '):format(log) ..
        'ip link set A netns A name v0 && ip link set B netns B name v0')
    end)
  end)
  teardown(function()
    if io.type(relay) == 'file' then relay:close() end
    machines:remove()
    os.remove(log)
  end)

  it('lose no element of a call', function()
    local output, status, said = machines:launch('10.77.0.1:1,10.77.0.2:1', [[
      dist.init { timeout = 60 }
      local x = dist.allReduce(torch.range(1, 200000):mul(dist.rank() + 1))
      local wrong = x:csub(torch.range(1, 200000):mul(3)):abs():max()
      io.write(dist.rank(), ' ', wrong, ' ', dist.allReduce(torch.ones(3)):sum(), '\n')
    ]])
    relay:close()
    assert.equal('', said)
    assert.equal('[0] 0 0 6\n[1] 1 0 6', output)
    assert.equal(0, status)
    local passed, lost = files.read(log):match 'passed (%d+) lost (%d+)'
    assert.is_true(tonumber(passed) > 2000 and tonumber(lost) > 10, files.read(log))
  end)
end)
