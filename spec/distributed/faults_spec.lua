-- torch.distributed under faults: a rank of a random program is killed, crashes or is stopped at a random point. The job ends with the
-- right status and report, and leaves no process. MOONTORCH_SPEC_PROGRAMS=200 runs more programs, MOONTORCH_SPEC_SEED=n from another seed.
local torch = require 'torch'
local files, program = require 'spec.support.files', require 'spec.support.program'
local ranks, shell = require 'spec.support.ranks', require 'spec.support.shell'

local programs = tonumber(os.getenv 'MOONTORCH_SPEC_PROGRAMS') or 4
local firstSeed = tonumber(os.getenv 'MOONTORCH_SPEC_SEED') or torch.random(1, 2 ^ 30)

local environment = ('MT_PRESET=%s %s'):format(os.getenv 'MT_PRESET' or 'release', ranks.environment)

local code = [[
local torch, ffi = require 'torch', require 'ffi'
local dist = require('torch.distributed').init { timeout = 60 }
dist.init { timeout = TIMEOUT }      -- of calls: a busy machine may need longer for the start
ffi.cdef 'int raise(int); int getpid(void);'
local rank, n = dist.rank(), dist.worldSize()
local generator = torch.Generator()
torch.manualSeed(generator, SEED)
local function random(a, b) return torch.random(generator, a, b) end
io.write(('pid %d\n'):format(ffi.C.getpid()))
io.flush()

local group, running = dist.newGroup { 1, 0 }, {}
local sizes = { 1, 100, 30000, 400000 }
local calls = {
  function(x, options) return dist.allReduce(x, 'sum', options) end,
  function(x, options) return dist.broadcast(x, random(0, n - 1), options) end,
  function(x, options) return dist.allGather(x, options) end,
  function(x, options) return dist.gather(x, random(0, n - 1), options) end,
  function(_, options) return dist.barrier(options) end,
  function(x, options)
    local from, to = random(0, n - 1), 0
    to = (from + random(1, n - 1)) % n
    if rank == from then return dist.send(x, to, options) end
    if rank == to then return dist.receive(x, from, options) end
  end,
  function(x, options)
    options.group = group
    if rank < 2 then return dist.allReduce(x, 'max', options) end
  end,
  function()
    local list = {}
    for i = 1, n do list[i] = i - 1 end
    dist.newGroup(list)
  end,
}
for i = 1, CALLS do
  if i == AT and rank == VICTIM then
    if DELAY == 0 then ffi.C.raise(SIGNAL) else
      os.execute(('(sleep %g; kill -SIGNAL %d) >/dev/null 2>&1 &'):format(DELAY, ffi.C.getpid()))
    end
  end
  local x, async = torch.FloatTensor(sizes[random(1, #sizes)]):zero(), random(1, 3) == 1
  local handle = calls[random(1, 20) == 1 and #calls or random(1, #calls - 1)](x, { async = async })
  if async and torch.type(handle) == 'table' and handle.wait then running[#running + 1] = handle end
  while #running > 3 do table.remove(running, 1):wait() end
end
while true do dist.barrier() end
]]

-- Runs the program of a seed, and checks its end.
local function check(seed)
  local generator = torch.Generator()
  torch.manualSeed(generator, seed)
  local function random(a, b) return torch.random(generator, a, b) end
  local n, signal = random(2, 4), ({ 9, 11, 19 })[random(1, 3)]
  local stops = signal == 19
  local victim, at = random(0, n - 1), random(1, 40)
  local delay = random(0, 1) * random(1, 40) / 1000
  local where = ('seed %d: signal %d to rank %d of %d at call %d, after %g s'):format(seed, signal, victim, n, at, delay)
  local text = code:gsub('%u%u+', {
    TIMEOUT = stops and 1.5 or 60, SEED = seed, CALLS = at + 200, AT = at, VICTIM = victim, DELAY = delay, SIGNAL = signal })
  local errors = os.tmpname()
  -- The sanitizers' handler would turn the signal into an exit with a status.
  local command = ('%s:handle_segv=0 timeout -s KILL 100 bin/th-launch -n %d %s 2>%s'):format(environment, n, program.script(text), errors)
  local output, status = shell(command)
  local said = files.read(errors)
  os.remove(errors)
  where = where .. '\n' .. said
  assert.equal(stops and 1 or 128 + signal, status, where)
  local pids = 0
  for pid in output:gmatch 'pid (%d+)' do
    pids = pids + 1
    local stat = io.open(('/proc/%s/stat'):format(pid))
    local state = stat and stat:read '*a':match '%) (%a)' or 'Z'
    if stat then stat:close() end
    assert.equal('Z', state, 'process ' .. pid .. ' is left: ' .. where)      -- ended, though its parent may have to ask
  end
  assert.equal(n, pids, where)
  if stops then
    local named = 0
    for line in said:gmatch '[^\n]+' do
      if line:find(('rank %%d+ in .* waited .* for .*rank %d,'):format(victim)) or
        line:find(('rank %%d+ waited .*rank %d, .* process is stopped'):format(victim)) then named = named + 1 end
    end
    assert.truthy(named > 0, where)
  else
    assert.truthy(said:find(('th-launch: rank %d ended by signal %d (%s): '):format(victim, signal, signal == 9 and 'SIGKILL' or 'SIGSEGV'),
      1, true), where)
    for rank = 0, n - 1 do
      if rank ~= victim then assert.truthy(said:find(('th-launch: rank %d: '):format(rank), 1, true), where) end
    end
  end
end

-- Runs a program by th-launch in the background, and a shell command with its process in $l. Returns the status and what the launcher said;
-- the process of no rank may be left.
local function during(n, text, command)
  ranks.need()
  local script = program.script(("local dist, ffi = require 'torch.distributed', require 'ffi'\nffi.cdef 'int getpid(void);'\n" ..
    "io.write(('pid %d\\n'):format(ffi.C.getpid())) io.flush()\n") .. text)
  local job = "%s sh -c 'bin/th-launch -n %d %s & l=$!; %s; wait $l; echo status $?'"
  local said, status = shell(job:format(environment, n, script, command))
  assert.equal(0, status)
  for pid in said:gmatch 'pid (%d+)' do
    shell(('while grep -q ") [^Z]" /proc/%s/stat; do sleep 0.1; done'):format(pid))      -- forever, if it is left
  end
  return tonumber(said:match 'status (%d+)\n$'), (said:gsub('/%S*lua_%w+%.lua', 'F'):gsub('\r', ''))
end

local function has(text, said) assert.truthy(said:find(text, 1, true), text .. ' in ' .. said) end

local waiting = [[
dist.init()
if dist.rank() == 1 then require('sys').sleep(600) end
dist.barrier()
]]

-- Waits until a rank is in its barrier.
local ready = 'until bin/th-launch --ranks $l 2>&1 | grep -q "waits for rank 1"; do sleep 0.1; done'

describe('th-launch', function()
  it('ends the ranks, and says what they did, if something kills mpirun', function()
    local status, said = during(2, waiting, ready .. '; kill -KILL $(cat /proc/$l/task/$l/children)')
    assert.equal(137, status)
    has('th-launch: rank 0: in barrier at F:6, waits for rank 1\nth-launch: rank 1: computes, after init at F:4\n', said)
    has('th-launch: rank 1 holds up rank 0', said)
  end)

  it('waits until the ranks that it kills have given their memory back', function()
    local _, said = during(2, "local x = require('torch').ones(1e8)\n" .. waiting,
      ready .. '; kill -KILL $(cat /proc/$l/task/$l/children); wait $l; cat /proc/[0-9]*/stat 2>/dev/null')
    local pids = 0
    for pid in said:gmatch 'pid (%d+)' do
      pids = pids + 1
      assert.equal('Z', said:match('\n' .. pid .. ' %([^\n]*%) (%a)') or 'Z')
    end
    assert.equal(2, pids)
  end)

  it('leaves no process if something kills it', function()
    assert.equal(137, (during(2, waiting, ready .. '; kill -KILL $l')))
    local shown = shell(environment .. ' bin/th-launch --ranks')      -- removes what is left of it
    assert.is_nil(shown:find('F:', 1, true))
  end)

  it('tells a stopped process from one that computes', function()
    local _, said = during(2, waiting, ready .. [[
; p=$(bin/th-launch --ranks $l 2>&1 | grep -o "rank 1 (process [0-9]*" | grep -o "[0-9]*$")
kill -STOP $p; bin/th-launch --ranks $l; kill -INT $l]])
    assert.truthy(said:find 'rank 1 %(process %d+%): computes, after init at F:4, for [%d.]+ s; the process is stopped\n', said)
  end)

  it('names ranks that do not start, after the time limit of init', function()
    local status, said = during(3, [[
      if os.getenv 'OMPI_COMM_WORLD_RANK' == '1' then require('sys').sleep(600) end
      dist.init { timeout = 0.5 }
    ]], 'true')
    assert.equal(1, status)
    has('in init at F:5 waited 0.5 s for rank 1, which has not called init', said)
    has('th-launch: rank 1: has not called init', said)
  end)

  it('follows those who wait to the one that holds them up, and knows those that have finished', function()
    local status, said = during(3, [[
      dist.init { timeout = 60 }
      dist.init { timeout = 1.5 }
      dist.barrier()
      if dist.rank() == 0 then require('sys').sleep(600) end
      if dist.rank() == 1 then dist.receive(torch.ones(1), 0, { timeout = 600 }) end
      dist.receive(torch.ones(1), 1, { tag = 4 })
    ]], 'true')
    assert.equal(1, status)
    has('rank 2 waited 1.5 s for rank 1, which is in receive of a DoubleTensor of 1 from rank 0 at F:8 and waits for rank 0, ' ..
      'whose last call was barrier at F:6', said)
    has('after receive of a DoubleTensor of 1 from rank 1 with tag 4 at F:9 failed', said)
    has('th-launch: rank 0 holds up rank 1', said)
    status, said = during(2, [[
      dist.init()
      if dist.rank() == 1 then dist.barrier() end
    ]], 'true')
    assert.equal(1, status)
    has('rank 1 waits for rank 0, which has finished', said)
    status, said = during(2, [[
      dist.init { timeout = 60 }
      dist.init { timeout = 1 }
      dist.receive(torch.ones(1), 1 - dist.rank())
    ]], 'true')
    assert.equal(1, status)
    assert.truthy(said:find('rank (%d) waited 1 s for rank %d, which is in receive of a DoubleTensor of 1 from rank %1 at F:6 ' ..
      'and waits for rank %1\n'), said)
  end)
end)

describe('a rank that ends or stops at any time', function()
  for i = 0, programs - 1 do
    it(('ends the job with a report (%d)'):format(i + 1), function()
      ranks.need()
      check(firstSeed + i)
    end)
  end
end)
