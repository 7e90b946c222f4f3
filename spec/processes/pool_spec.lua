-- torch.processes: jobs in forked children, their arguments and results, and that no children remain, for any order in which processes end.
-- luacheck: globals __threadid
local torch = require 'torch'
local tds = require 'tds'
local ffi = require 'ffi'
local program = require 'spec.support.program'

ffi.cdef [[
int fork(void);
int kill(int pid, int signal);
int getpid(void);
int waitpid(int pid, int *status, int options);
void _exit(int status);
int fcntl(int descriptor, int command, ...);
]]

local function lines(command)
  local pipe, all = io.popen(command), {}
  for line in pipe:lines() do all[#all + 1] = line end
  pipe:close()
  return all
end

local own = ffi.C.getpid()
local function children()
  local file, all = io.open(('/proc/%d/task/%d/children'):format(own, own)), {}
  for pid in file:read '*a':gmatch '%d+' do all[#all + 1] = tonumber(pid) end
  file:close()
  return all
end
local function openFiles()
  local n, get = 0, 1      -- F_GETFD
  for descriptor = 0, 2000 do
    if ffi.C.fcntl(descriptor, get) >= 0 then n = n + 1 end
  end
  return n
end

local function run(pool, f, ...)
  local results
  pool:addjob(f, function(...) results = { n = select('#', ...), ... } end, ...)
  pool:synchronize()
  return unpack(results, 1, results.n)
end

local function errorOf(f, ...)
  local good, message = pcall(f, ...)
  assert.is_false(good)
  return message
end

local function collect() for _ = 1, 3 do collectgarbage() end end

describe('torch.processes', function()
  local pool, first
  setup(function() pool, first = torch.processes(2, function(id) return id, ffi.C.getpid() end) end)
  teardown(function() pool:terminate() end)

  it('starts processes, each of which knows its number', function()
    assert.equal(1, first[1][1])
    assert.equal(2, first[2][1])
    assert.not_equal(first[1][2], first[2][2])
    assert.not_equal(own, first[1][2])
    local id, pid = run(pool, function() return __threadid, require 'ffi'.C.getpid() end)
    assert.equal(first[id][2], pid)
  end)

  it('runs jobs with upvalues and arguments, and brings all results', function()
    local sum, factor = 0, 3
    for i = 1, 50 do
      pool:addjob(function(x) return factor * x end, function(y) sum = sum + y end, i)
    end
    pool:synchronize()
    assert.equal(3 * 1275, sum)
    local a, b, c, d = run(pool, function(...) return select('#', ...), nil, ..., false end, 1, nil, 3)
    assert.equal(3, a)
    assert.is_nil(b)
    assert.equal(1, c)
    assert.equal(false, d)
  end)

  it('sends tables with cycles, functions, classes, generators and long strings', function()
    local t = { text = ('x'):rep(100000), half = 0.5 }
    t.self = t
    local count = 0
    function t.next() count = count + 1; return count end
    t.generator = torch.Generator()
    torch.manualSeed(t.generator, 5)
    local back = run(pool, function(x) assert(x.self == x and x.next() == 1); return x end, t)
    assert.equal(back, back.self)
    assert.equal(t.text, back.text)
    assert.equal(2, back.next())
    assert.equal(0, count)
    assert.equal(torch.random(t.generator), torch.random(back.generator))
  end)

  it('copies tensors of all kinds, with what they share', function()
    local x = torch.range(1, 12):resize(3, 4)
    local back = run(pool, function(t) t[1]:fill(0); return t end, { x, x:t(), x[2], torch.Tensor(), torch.ByteTensor { 1, 2 } })
    assert.equal(78, x:sum())
    assert.equal(0, back[1]:sum())
    assert.equal(0, back[2]:sum())
    assert.equal(back[1]:storage(), back[3]:storage())
    assert.same({ 4, 3 }, back[2]:size():totable())
    assert.equal(0, back[4]:dim())
    assert.equal('torch.ByteTensor', back[5]:type())
    local large = torch.rand(300, 1000)
    assert.equal(0, (run(pool, function(y) return y * 2 end, large) - large * 2):abs():max())
    local part = run(pool, function(y) return y end, large[{ { 2, 3 } }])
    assert.is_true(torch.equal(large[{ { 2, 3 } }], part))
    assert.equal(2000, part:storage():size())
  end)

  it('sends containers of tds as copies, rings and tensors in shared memory with them', function()
    local shared = torch.zeros(3):share()
    local hash = tds.Hash { name = 'n', list = { 1, 'two', { 3 } } }
    hash.own, hash.tensor, hash.shared, hash.counter = hash, torch.ones(2), shared, tds.AtomicCounter(4)
    local back = run(pool, function(h) h.shared:fill(7); h.tensor:fill(7); h.counter:inc(); return h end, hash)
    assert.equal('n', back.name)
    assert.equal('two', back.list[2])
    assert.equal(3, back.list[3][1])
    assert.equal(back, back.own)
    assert.equal(14, back.tensor:sum())
    assert.equal(2, hash.tensor:sum())
    assert.equal(21, shared:sum())
    assert.equal(5, back.counter:get())
    assert.equal(4, hash.counter:get())
    hash.own, back.own = nil, nil                   -- rings are never freed
  end)

  it('sends tensors in shared memory by reference, there and back', function()
    local late = torch.zeros(2, 3):share()
    local row = late[2]
    local back = run(pool, function() row:fill(1); return row, torch.ones(4):share() end)
    assert.equal(3, late:sum())
    late:fill(2)
    assert.equal(6, back:sum())
    assert.equal(row:data(), back:data())      -- one memory has one address
    local _, made = run(pool, function() return row, torch.ones(4):share() end)
    assert.is_true(made:isShared())
    assert.equal(4, made:sum())
    assert.equal(4, run(pool, function() made:add(1); return made:nElement() end))
    assert.equal(8, made:sum())
  end)

  it('reports an error with the stack of the job alone, and goes on', function()
    pool:addjob(function() local t = nil; return t.x end)
    local message = errorOf(pool.synchronize, pool)
    assert.truthy(message:find '^\n%[process %d callback%] .*attempt to index local .t.')
    assert.truthy(message:find 'stack traceback')
    assert.falsy(message:find 'newPool')
    pool:addjob(function() return 1 end, function() error 'here' end)
    assert.truthy(errorOf(pool.synchronize, pool):find '%[process %d endcallback%] .*here')
    assert.equal(1, run(pool, function() return 1 end))
  end)

  it('reports which values can\'t be sent, and why', function()
    local thread = coroutine.create(print)
    assert.error_matches(function() pool:addjob(function() return thread end) end,
      "addjob: callback: upvalue thread: a coroutine, which can't go to another process")
    local mutex = require 'threads'.Mutex()
    assert.error_matches(function() pool:addjob(function() return mutex end) end, "upvalue mutex: .* can't go to another process")
    pool:addjob(function() return { x = { coroutine.create(print) } } end)
    assert.truthy(errorOf(pool.synchronize, pool):find 'result 1: field x.1: a coroutine')
    local many = {}
    for i = 1, 300 do many[i] = torch.zeros(1):share() end
    assert.error_matches(function() pool:addjob(function() return many end) end, '300 shared memories, expected at most 250')
    assert.equal(300, run(pool, function(t) return #t end, torch.shared(torch.zeros(300, 1)):split(1)))
  end)

  -- The address sanitizer takes a crash itself.
  local crashed = os.getenv 'MT_PRESET' == 'asan' and 'ended with status 1' or 'was ended by signal %d+ %(SIG%u+%)'

  for what, case in pairs {
    ['os.exit'] = { function() os.exit(3) end, 'ended with status 3, as by os.exit' },
    ['kill -9'] = { function() local C = require 'ffi'.C; C.kill(C.getpid(), 9) end, 'was ended by signal 9 %(SIGKILL%)' },
    ['a crash of foreign code'] = { function() require 'ffi'.cast('int *', 8)[0] = 1 end, crashed },
  } do
    it('makes an error of a process that ended by ' .. what .. ', and goes on with another', function()
      local done = 0
      pool:addjob(case[1], function() done = done + 100 end)
      for _ = 1, 10 do pool:addjob(function() return 1 end, function(one) done = done + one end) end
      local message = errorOf(pool.synchronize, pool)
      assert.truthy(message:find('%[process %d callback%] its process %d+ ' .. case[2]), message)
      assert.equal(10, done)
      assert.equal(2, #children())
    end)
  end

  it('replaces a process that is killed between two jobs', function()
    local id, victim = run(pool, function() return __threadid, require 'ffi'.C.getpid() end)
    ffi.C.kill(victim, 9)
    local pids = {}
    for _ = 1, 20 do pids[run(pool, function() require 'sys'.sleep(0.01); return require 'ffi'.C.getpid() end)] = true end
    assert.is_nil(pids[victim])
    pool:specific(true)
    local again
    pool:addjob(id, function() return require 'ffi'.C.getpid() end, function(pid) again = pid end)
    pool:synchronize()
    pool:specific(false)
    assert.not_equal(victim, again)
    assert.equal(2, #children())
  end)

  it('draws other numbers in each process, which follow from the seed', function()
    local function draws()
      torch.manualSeed(7)
      local p, all = torch.processes(2, function() return torch.random(), math.random() end)
      p:terminate()
      return all
    end
    local a, b = draws(), draws()
    assert.same(a, b)
    assert.not_equal(a[1][1], a[2][1])
    assert.not_equal(a[1][2], a[2][2])
  end)

  it('has the modes of a pool of threads', function()
    pool:specific(true)
    local ids = {}
    for i = 1, 6 do pool:addjob(i % 2 + 1, function() return __threadid end, function(id) ids[i] = id end) end
    pool:synchronize()
    assert.same({ 2, 1, 2, 1, 2, 1 }, ids)
    assert.error_matches(function() pool:addjob(3, function() end) end, 'process index expected')
    pool:specific(false)
    pool:ordered(true)
    local order = {}
    for i = 1, 6 do
      pool:addjob(function() if i == 1 then require 'sys'.sleep(0.05) end return i end, function(x) order[#order + 1] = x end)
    end
    pool:synchronize()
    pool:ordered(false)
    assert.same({ 1, 2, 3, 4, 5, 6 }, order)
    assert.is_true(pool:acceptsjob())
    assert.is_false(pool:hasjob())
    assert.is_false(pool:haserror())
    assert.is_true(pool:isrunning())
  end)

  it('has an engine that works, with more threads where a job asks for them', function()
    local x = torch.rand(200, 200)
    local y = torch.mm(x, x)
    local there, threads = run(pool, function()
      local one = torch.getnumthreads()
      torch.setnumthreads(2)
      local product = torch.mm(x, x)
      torch.setnumthreads(one)
      return product, one
    end)
    assert.is_true((there - y):abs():max() < 1e-12)
    assert.equal(1, threads)
  end)
end)

describe('a pool of processes', function()
  it('leaves neither a child nor an open file when it is terminated or collected', function()
    local before, files = #children(), nil
    for round = 1, 6 do
      local pool = torch.processes(3)
      assert.equal(before + 3, #children())
      run(pool, function() return 1 end)
      if round % 2 == 0 then pool:terminate() end
      pool = nil      -- luacheck: ignore
      collect()
      assert.equal(before, #children())
      files = files or openFiles()
    end
    assert.equal(files, openFiles())
  end)

  it('says that it is no more', function()
    local pool = torch.processes(1)
    pool:terminate()
    assert.is_false(pool:isrunning())
    assert.error_matches(function() pool:addjob(function() end) end, 'process system is not running')
  end)

  it('loses no job but those that were done, whoever is killed whenever', function()
    local x, done, lost, seed = torch.zeros(100):share(), 0, 0, 1
    local pool, before = torch.processes(3), #children() - 3
    local known, newborn = {}, 0      -- processes that ended a job; how many others were killed: a pool survives three of these in a row
    local function random(n)
      seed = seed * 16807 % 2147483647
      return seed % n + 1
    end
    local function settle()
      local good, message = pcall(pool.synchronize, pool)
      if not good then lost = lost + select(2, message:gsub('SIGKILL', '')) end
    end
    for i = 1, 400 do
      pool:addjob(function()
        x:add(1)
        return require('ffi').C.getpid()
      end, function(id)
        done = done + 1
        known[id] = true
      end, i % 7 == 0 and torch.rand(100, 100) or nil)
      local there = children()
      local victim = random(10) == 1 and there[random(math.max(#there, 1))]
      if victim and (known[victim] or newborn < 3) then
        newborn = newborn + (known[victim] and 0 or 1)
        ffi.C.kill(victim, 9)
      end
      if pool:haserror() then settle() end
    end
    settle()
    assert.equal(400, done + lost)
    assert.is_true(x[1] >= done)
    assert.equal(before + 3, #children())
    pool:terminate()
    assert.equal(before, #children())
  end)

  it('is broken when its processes die as they start again', function()
    local name = os.tmpname()
    local pool = torch.processes(1, function() if not io.open(name) then os.exit(9) end end)
    os.remove(name)
    pool:addjob(function() os.exit(1) end)
    assert.truthy(errorOf(pool.synchronize, pool):find 'status 1')
    local message = ''
    for _ = 1, 20 do
      local good, problem = pcall(function() pool:addjob(function() end); pool:synchronize() end)
      message = not good and problem or message
    end
    assert.truthy(message:find 'process system is not running' or message:find 'the pool is broken', message)
    assert.is_false(pool:isrunning())
  end)

  it('is broken when a process can not start again, and says so', function()
    local before = #children()
    local name = os.tmpname()
    local pool = torch.processes(1, function() assert(io.open(name)):close() end)
    os.remove(name)
    pool:addjob(function() os.exit(1) end)
    local message = errorOf(function()
      pool:addjob(function() end)      -- raises the error if the process has ended already
      pool:synchronize()
    end)
    assert.truthy(message:find 'the pool is broken: process 1 ended, and a new one could not start: .*No such file', message)
    assert.is_false(pool:isrunning())
    assert.equal(before, #children())
  end)

  it('names the actual argument in errors', function()
    for _, n in ipairs { 0, -1, 1.5, 1001, 'x' } do
      assert.error_matches(function() torch.processes(n) end, 'torch.processes: N: .*, expected a whole number from 1 to 1000')
    end
    assert.error_matches(function() torch.processes(1, 2) end, 'torch.processes: f1: 2, expected a function')
    assert.truthy(errorOf(torch.processes, 2, function(id) error('at ' .. id) end):find '%[process 1 callback%].*at 1')
    assert.truthy(errorOf(torch.processes, 1, function() os.exit(4) end):find 'process 1 callback.*status 4')
  end)

  it('belongs to the process that made it', function()
    local pool = torch.processes(1)
    local child = ffi.C.fork()
    if child == 0 then
      local good, message = pcall(pool.addjob, pool, function() end)
      pool = nil
      collect()
      ffi.C._exit(not good and tostring(message):find 'belongs to the process that made it' and 0 or 1)
    end
    local status = ffi.new 'int[1]'
    ffi.C.waitpid(child, status, 0)
    assert.equal(0, status[0])
    assert.equal(5, run(pool, function() return 5 end))
    pool:terminate()
  end)

  it('gives its processes what the program has, without sending it', function()
    local data = { secret = coroutine.create(print), torch.ones(3) }
    local pool, all = torch.processes(1, function() return type(data.secret), data[1]:sum() end)
    assert.same({ { 'thread', 3 } }, all)
    pool:terminate()
  end)
end)

it('children start with one thread, though their parent has not computed yet', function()
  assert.equal('1\t1\t\n', program.evaluate [[
    local torch = require 'torch'
    local pool, first = torch.processes(2, function() return torch.getnumthreads() end)
    print(first[1][1], first[2][1])
    pool:terminate()
  ]])
end)

it('children end with their parent, however that ends', function()
  for _, ending in ipairs { 'os.exit(0)', 'os.exit(0, true)', 'error "x"', 'ffi.C.kill(ffi.C.getpid(), 9)', '' } do
    local output = program.run { '-e', [[
      local ffi = require 'ffi'
      ffi.cdef 'int kill(int, int); int getpid(void);'
      local pool, pids = require 'torch'.processes(2, function() return ffi.C.getpid() end)
      print(pids[1][1], pids[2][1])
      io.flush()
      for i = 1, 2 do pool:addjob(function() require 'sys'.sleep(0.5) end) end
      ]] .. ending }
    local alive, tries = true, 0
    while alive do
      alive = false
      for pid in output:gmatch '%d+' do
        alive = alive or ffi.C.kill(tonumber(pid), 0) == 0 and #lines('grep -v Z /proc/' .. pid .. '/stat') > 0
      end
      tries = tries + 1
      assert.is_true(tries < 200, 'a child lives on after ' .. ending)
      if alive then os.execute 'sleep 0.05' end
    end
    assert.truthy(output:find '^%d+%s+%d+')
  end
end)
