-- Tensors in memory that processes share: which tensors move there, and that all of this memory is released.
local torch = require 'torch'
local nn = require 'nn'
local ffi = require 'ffi'
local program = require 'spec.support.program'

ffi.cdef [[
int fork(void);
int getpid(void);
int waitpid(int pid, int *status, int options);
void _exit(int status);
int fcntl(int descriptor, int command, ...);
]]

-- Runs f in a child of fork, which must come to its end.
local function inChild(f)
  local child = ffi.C.fork()
  if child == 0 then ffi.C._exit(pcall(f) and 0 or 1) end
  local status = ffi.new 'int[1]'
  assert.equal(child, ffi.C.waitpid(child, status, 0))
  assert.equal(0, status[0])
end

-- How many entries a folder has.
local function count(folder)
  local pipe, n = io.popen('ls ' .. folder), 0
  for _ in pipe:lines() do n = n + 1 end
  pipe:close()
  return n
end

local function openFiles()
  local n, get = 0, 1      -- F_GETFD
  for descriptor = 0, 2000 do
    if ffi.C.fcntl(descriptor, get) >= 0 then n = n + 1 end
  end
  return n
end

describe('x:share()', function()
  it('keeps elements, sizes and aliases, and shows a child\'s writes to all of them', function()
    local x = torch.range(1, 12):resize(3, 4)
    local transposed, row = x:t(), x[2]
    assert.equal(x, x:share())
    assert.is_true(x:isShared() and transposed:isShared() and row:isShared() and x:storage():isShared())
    assert.equal(78, x:sum())
    inChild(function() transposed[{ 3, 2 }] = 100 end)
    assert.equal(100, x[{ 2, 3 }])
    assert.equal(100, row[3])
    x:fill(1)
    assert.equal(4, row:sum())
  end)

  it('is for every type of elements', function()
    for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half', 'Bool', 'BFloat16' } do
      local x = torch[name .. 'Tensor'] { 1, 0, 1 }:share()
      assert.is_true(x:isShared())
      inChild(function() x[2] = 1 end)
      assert.equal(1, tonumber(x:double()[2]))
    end
  end)

  it('leaves what is not shared to each process', function()
    local x, y = torch.zeros(3):share(), torch.zeros(3)
    inChild(function() x:fill(1); y:fill(1) end)
    assert.equal(3, x:sum())
    assert.equal(0, y:sum())
  end)

  it('keeps a network\'s tape and flat parameters together', function()
    local net = nn.Linear(3, 2)
    local flat = net:getParameters()
    assert.equal(flat, flat:share())
    inChild(function() net.weight:fill(5) end)
    assert.equal(5, flat[1])
    net:requiresGrad()
    local weight = net.weight
    weight:share()
    net(torch.ones(1, 3)):sum():backward()
    assert.equal(6, weight.grad:sum())
  end)

  it('keeps the gradient that a tracked tensor waits for', function()
    local w = torch.ones(3):requiresGrad()
    local y = (w * 2):sum()
    w:share()
    y:backward()
    assert.equal(6, w.grad:sum())
  end)

  it('accepts storages that have grown, and empty ones', function()
    local x = torch.zeros(2)
    x:resize(50000):fill(2):share()
    assert.equal(100000, x:sum())
    for _, empty in ipairs { torch.Tensor(), torch.Tensor(0), torch.Tensor(0, 3) } do
      assert.equal(empty, empty:share())
      assert.is_false(empty:isShared())
      empty:resize(2):fill(1)
      assert.equal(2, empty:sum())
    end
  end)

  it('can not be resized any more', function()
    local x = torch.zeros(4):share()
    assert.error_matches(function() x:resize(5) end, "resize: storage: 4 elements can't grow to 5")
    x:resize(3)
    assert.error_matches(function() x:storage():resize(9) end, 'not resizable')
  end)

  it('says what it can not move, and moves nothing', function()
    local whole = torch.FloatStorage(10):fill(1)
    local view = torch.FloatStorage(whole, 2, 3)
    assert.error_matches(function() whole:share() end, 'share: storage: one that is a view, has one, or holds memory')
    assert.error_matches(function() view:share() end, 'share: storage: one that is a view')
    assert.is_false(whole:isShared())
    local handed = torch.zeros(3)
    handed:retain()
    assert.error_matches(function() handed:share() end, 'share: storage: one that other threads may have')
    handed:free()
    local visited = torch.zeros(3)
    assert.error_matches(function() visited:apply(function() visited:share() end) end, 'being visited')
    assert.error_matches(function() torch.withDevice('meta', function() return torch.zeros(3) end):share() end, 'one on meta')
    assert.error_matches(function() whole.share(3) end, 'share: self: number')
    assert.error_matches(function() whole.isShared {} end, 'isShared: self: table')
  end)
end)

describe('torch.shared', function()
  it('moves all tensors of a table into one memory, and of a module its parameters', function()
    local before = openFiles()
    local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Linear(4, 2))
    local t = { torch.ones(3), { more = torch.ones(2, 2):t() }, net }
    t[2].self = t
    assert.equal(t, torch.shared(t))
    assert.equal(before + 1, openFiles())
    assert.is_true(t[1]:isShared() and t[2].more:isShared())
    local weights, gradients = net:parameters()
    for i = 1, #weights do
      assert.is_true(weights[i]:isShared())
      assert.is_false(gradients[i]:isShared())
    end
    inChild(function() t[2].more:fill(7); weights[4]:fill(8) end)
    assert.equal(28, t[2].more:sum())
    assert.equal(16, net:get(2).bias:sum())
  end)

  it('has constructors', function()
    local x = torch.shared.FloatTensor(2, 3)
    assert.equal('torch.FloatTensor', x:type())
    assert.is_true(x:isShared())
    assert.is_true(torch.shared.LongStorage { 1, 2 }:isShared())
    assert.same({ 1, 2 }, torch.shared.Tensor { 1, 2 }:totable())
    assert.is_nil(torch.shared.NoTensor)
    assert.is_nil(torch.shared.zeros)
    assert.error_matches(function() torch.shared.FloatTensor('a') end, 'tensor: sizes: string')
  end)

  it('names the expected arguments in errors', function()
    for _, wrong in ipairs { 3, 'x', print, true, torch.Generator() } do
      assert.error_matches(function() torch.shared(wrong) end, 'torch.shared: x: .*, expected a tensor, a storage, a module or a table')
    end
    local x = torch.ones(2)
    assert.error_matches(function() torch.shared { x, 'x' } end, 'string')
    assert.is_false(x:isShared())
  end)

  it('refuses more than the machine has, in a sentence', function()
    local x = torch.withDevice('meta', function() return torch.zeros(3) end)
    assert.error_matches(function() torch.shared { x } end, 'torch.shared: storage: one on meta')
  end)
end)

describe('shared memory', function()
  it('goes with the last tensor, with its open file', function()
    collectgarbage()
    collectgarbage()
    local before = openFiles()
    for _ = 1, 100 do torch.zeros(1000):share() end
    collectgarbage()
    collectgarbage()
    assert.is_true(openFiles() <= before)
  end)

  it('does not run out of open files while there is garbage', function()
    if os.getenv 'MT_PRESET' == 'asan' then return pending 'the sanitizer needs an open file to look at an exception' end
    local output, status, errors = program.run({ '-e', [[
      for i = 1, 300 do torch.zeros(10):share() end
      local kept = {}
      print(pcall(function() for i = 1, 300 do kept[i] = torch.zeros(10):share() end end))
    ]] }, '', 'ulimit -n 100;')
    assert.equal(0, status, errors)
    assert.truthy(output:find 'shared memory: 128 bytes were asked for: Too many open files: .*ulimit %-n', output)
  end)

  it('has no name that a killed process could leave', function()
    local names = count '/dev/shm'
    inChild(function()
      local x = torch.zeros(1000):share()
      local here = count '/dev/shm'
      assert(x:isShared() and here == names)
    end)
    assert.equal(names, count '/dev/shm')
  end)
end)

it('a shared storage by name is removed by the process that made it, not by its children', function()
  local name = ('/moontorch-spec-%d'):format(ffi.C.getpid())
  local s = torch.FloatStorage(name, true, 100, true)
  local path = '/dev/shm' .. name
  inChild(function()
    s = nil
    collectgarbage()
    collectgarbage()
  end)
  assert.is_truthy(io.open(path))
  s:fill(1)
  s = nil      -- luacheck: ignore
  collectgarbage()
  collectgarbage()
  assert.is_nil(io.open(path))
end)

it('a shared storage by name leaves no name behind when its process is killed', function()
  local name = ('/moontorch-killed-%d'):format(ffi.C.getpid())
  local _, status = program.run { '-e', ([[
    local torch, ffi = require 'torch', require 'ffi'
    ffi.cdef 'int kill(int, int); int getpid(void);'
    kept, gone = torch.FloatStorage('%s', true, 100, true), torch.FloatStorage('%s-2', true, 100, true)
    gone = nil
    collectgarbage()
    collectgarbage()
    assert(io.open '/dev/shm%s' and not io.open '/dev/shm%s-2')
    io.open('/dev/shm%s-2', 'w'):close()      -- another's, now
    ffi.C.kill(ffi.C.getpid(), 9)
  ]]):format(name, name, name, name, name) }
  assert.equal(137, status)
  local tries = 0
  while io.open('/dev/shm' .. name) do
    tries = tries + 1
    assert.is_true(tries < 200)
    os.execute 'sleep 0.05'
  end
  assert.is_truthy(io.open('/dev/shm' .. name .. '-2'))
  os.remove('/dev/shm' .. name .. '-2')
end)
